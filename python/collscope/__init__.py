"""collscope: a laboratory for MPI collective algorithms."""

__version__ = "0.1"
