"""Spack recipe, for Spack 1.0 and later: put it into a repository of recipes as packages/collscope/package.py;
`spack dev-build -d CLONE collscope@0.1` builds a clone. Python's libraries come with pip, into the installation's own environment."""

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *

OF_THE_CLONE = (".git", ".venv", ".cache", "build")  # they name its folders


class Collscope(Package):
    """A laboratory for MPI collective algorithms: simulate, run, prove and tune them."""

    license("BSD-3-Clause")

    version("0.1")

    variant("simulation", default=True, description="Simulations, with SimGrid's SMPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+simulation")
    depends_on("cmake@3.21:", type=("build", "run"))
    depends_on("ninja", type=("build", "run"))
    depends_on("mpi", type=("build", "link", "run"))
    depends_on("hwloc", type=("build", "link"))
    depends_on("simgrid@3.32: +smpi", when="+simulation", type=("build", "link", "run"))
    depends_on("python@3.11:", type=("build", "run"))

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        """The build records the compilers themselves: users' own algorithms are compiled with them, where Spack's wrappers do not run."""
        env.set("CC", self.compiler.cc)
        env.set("CXX", self.compiler.cxx)

    def install(self, spec, prefix):
        """The tree itself is what is installed: the launcher finds everything beside it."""
        tree = prefix.share.collscope
        install_tree(".", tree, ignore=lambda path: path.split("/")[0] in OF_THE_CLONE)
        launcher = Executable(join_path(tree, "collscope"))
        if spec.satisfies("+simulation"):
            launcher("setup", "--real")
        else:
            launcher("list", output=str)  # builds what proves and models
        mkdirp(prefix.bin)
        symlink(join_path(tree, "collscope"), join_path(prefix.bin, "collscope"))
