"""MPICH 4.3: which of our algorithms it has, and how its table of decisions writes each down.

From pmodels/mpich, tag v4.3.2: src/mpi/coll/coll_algorithms.txt (algorithms, their parameters and restrictions),
src/mpi/coll/src/csel_container.c (their names and parameters in the table). What each of them sends was compared with ours: a test
does it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from collscope.catalogue.keys import Key

SERIES = "4.3"
DECISION = "decision/mpich_4"
KEYS: Mapping[str, tuple[str, ...]] = {
    "bcast": (
        "bcast/knomial[k=2,s=0]",
        "bcast/scatter_recursive_doubling",
        "bcast/scatter_ring",
        "bcast/linear",
        "bcast/pipeline[s=0]",
        *(f"bcast/hierarchical_nary[levels=flat,n={n}]" for n in (2, 3, 4, 8)),
    ),
    "reduce": ("reduce/binomial[s=0]", "reduce/reduce_scatter_gather"),
    "allreduce": ("allreduce/recursive_doubling", "allreduce/reduce_scatter_allgather", "allreduce/linear"),
    "allgather": ("allgather/recursive_doubling", "allgather/bruck", "allgather/bucket"),
    "alltoall": ("alltoall/bruck", "alltoall/scattered[batch=32]", "alltoall/pairwise_exchange"),
    "reduce_scatter": ("reduce_scatter/recursive_halving", "reduce_scatter/pairwise"),
    "reduce_scatter_block": (
        "reduce_scatter_block/recursive_halving",
        "reduce_scatter_block/recursive_doubling",
        "reduce_scatter_block/butterfly",
        "reduce_scatter_block/pairwise",
    ),
}
"""The full keys that a rule can name. Gather and scatter have one algorithm each in MPICH: there is nothing to choose."""


@dataclass(frozen=True)
class Written:
    """An algorithm in MPICH's table. `parameters`: all that it reads, since what is not given is whatever stands in the memory there;
    `needs`: what must hold for it, as nodes of the table, else MPICH's own choice stands."""

    name: str
    parameters: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


POWER_OF_TWO, COMMUTES, SEPARATE = "comm_size=pow2", "is_commutative=yes", "is_sendbuf_inplace=no"
CUT = ("is_op_built_in=yes", "not count<pow2")
"""Of what cuts the vector up: at least as many elements as the largest power of two of ranks."""
_NAMES = {
    "bcast/knomial": Written("Bcast_intra_binomial"),
    "bcast/scatter_recursive_doubling": Written("Bcast_intra_scatter_recursive_doubling_allgather"),
    "bcast/scatter_ring": Written("Bcast_intra_scatter_ring_allgather"),
    "reduce/binomial": Written("Reduce_intra_binomial"),
    "reduce/reduce_scatter_gather": Written("Reduce_intra_reduce_scatter_gather", needs=CUT),
    "allreduce/recursive_doubling": Written("Allreduce_intra_recursive_doubling"),
    "allreduce/reduce_scatter_allgather": Written("Allreduce_intra_reduce_scatter_allgather", needs=CUT),
    "allgather/recursive_doubling": Written("Allgather_intra_recursive_doubling", needs=(POWER_OF_TWO,)),
    "allgather/bruck": Written("Allgather_intra_brucks"),
    "allgather/bucket": Written("Allgather_intra_ring"),
    "alltoall/bruck": Written("Alltoall_intra_brucks", needs=(SEPARATE,)),
    "alltoall/scattered": Written("Alltoall_intra_scattered", needs=(SEPARATE,)),
    "alltoall/pairwise_exchange": Written("Alltoall_intra_pairwise", needs=(SEPARATE,)),
    "reduce_scatter/recursive_halving": Written("Reduce_scatter_intra_recursive_halving", needs=(COMMUTES,)),
    "reduce_scatter/pairwise": Written("Reduce_scatter_intra_pairwise", needs=(COMMUTES,)),
    "reduce_scatter_block/recursive_halving": Written(
        "Reduce_scatter_block_intra_recursive_halving", needs=(COMMUTES,)
    ),
    "reduce_scatter_block/recursive_doubling": Written("Reduce_scatter_block_intra_recursive_doubling"),
    "reduce_scatter_block/butterfly": Written("Reduce_scatter_block_intra_noncommutative", needs=(POWER_OF_TWO,)),
    "reduce_scatter_block/pairwise": Written("Reduce_scatter_block_intra_pairwise", needs=(COMMUTES,)),
}


def written(key: str, ranks: int) -> Written:
    """How the table writes this full key for rules of up to so many ranks."""
    values = Key.parse(key).values
    others = max(1, ranks - 1)  # of a flat tree; on one rank, too, a tree has a width
    if key in ("bcast/linear", "bcast/pipeline[s=0]") or "hierarchical_nary" in key:
        children = {"bcast/linear": others, "bcast/pipeline[s=0]": 1}.get(key) or int(values["n"])
        return Written("Bcast_intra_tree", (*_tree(children), "is_non_blocking=1"))
    if key == "allreduce/linear":
        tree = (*_tree(others), "chunk_size=0", "buffer_per_child=0")
        return Written("Allreduce_intra_tree", tree, (COMMUTES,))
    return _NAMES[Key.parse(key).stem]


def fits(key: str, ranks: int, count: int) -> bool:
    """Whether what the algorithm needs holds for a call with an operator of MPI's and two buffers; else MPICH decides by itself."""
    needs = written(key, ranks).needs
    return (POWER_OF_TWO not in needs or not ranks & (ranks - 1)) and (
        needs != CUT or count >= 1 << (ranks.bit_length() - 1)
    )


def element(collective: str) -> int:
    """Bytes of the elements that a call is compared with: MPICH cuts a broadcast up in bytes, we in elements."""
    return 1 if collective == "bcast" else 4


def _tree(children: int) -> tuple[str, str]:
    """A k-ary tree; what only trees that follow the machine's topology read is left out."""
    return "tree_type=kary", f"k={children}"
