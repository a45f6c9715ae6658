"""Spack recipe: put it into a repository of recipes as packages/collscope/package.py; `spack dev-build -d CLONE collscope@0.1` builds a clone."""

from spack.package import *


class Collscope(Package):
    """A laboratory for MPI collective algorithms: simulate, run, prove and tune them."""

    maintainers = []
    license("BSD-3-Clause")

    version("0.1")

    variant("simulation", default=True, description="Simulations, with SimGrid's SMPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+simulation")
    depends_on("cmake@3.21:", type=("build", "run"))
    depends_on("ninja", type=("build", "run"))
    depends_on("mpi")
    depends_on("hwloc")
    depends_on("simgrid@3.32: +smpi", when="+simulation", type=("build", "run"))
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-pip", type=("build", "run"))

    phases = ["install"]

    def install(self, spec, prefix):
        """The tree itself is what is installed: the launcher finds everything beside it."""
        tree = prefix.share.collscope
        install_tree(".", tree)
        with working_dir(tree):
            words = ["setup", "--real"] if "+simulation" in spec else ["doctor"]
            Executable(join_path(tree, "collscope"))(*words)
        mkdirp(prefix.bin)
        symlink(join_path(tree, "collscope"), join_path(prefix.bin, "collscope"))
