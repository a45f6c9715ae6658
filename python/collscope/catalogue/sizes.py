"""Sizes of a call: from its count to bytes and back.

`bytes` n is the whole vector, `block_bytes` m what one rank contributes or receives where the collective moves blocks; both
follow from the count that MPI's call is given and from what the collective counts.
"""

from __future__ import annotations

from collscope.base.errors import UsageError
from collscope.base.units import MAX_VECTOR_BYTES, format_size
from collscope.catalogue import registry


def elem_bytes(type_name: str) -> int:
    """Bytes of one element; a UsageError when there is no such type."""
    return registry.load().type_bytes(type_name)


def vector_bytes(collective: str, count: int, ranks: int, elem: int) -> int:
    """`bytes` n of a call."""
    about = registry.load().collective(collective)
    return count * elem * (ranks if about.counts_blocks else 1) if about.has_data else 0


def block_bytes(collective: str, count: int, ranks: int, elem: int) -> int:
    """`block_bytes` m of a call."""
    about = registry.load().collective(collective)
    if about.output.amount == "part":
        return -(-count // ranks) * elem
    return count * elem if about.has_data else 0


def vector_of_blocks(collective: str, block: int, ranks: int) -> int:
    """`bytes` n of a call whose block is so large: as many times that as there are ranks where the collective moves blocks."""
    about = registry.load().collective(collective)
    return block * (ranks if about.counts_blocks or about.output.amount == "part" else 1)


def count_of_bytes(collective: str, size: int, ranks: int, elem: int, or_block: bool = True) -> int:
    """The count whose vector has exactly `size` bytes; an error names the nearest sizes that exist, and --block-bytes if `or_block`."""
    about = registry.load().collective(collective)
    unit = elem * (ranks if about.counts_blocks else 1)
    return _divide(collective, size, unit, ranks, elem, or_block) if about.has_data else 0


def count_of_block_bytes(collective: str, size: int, ranks: int, elem: int) -> int:
    """The count whose block has exactly `size` bytes (reduce_scatter: p blocks of that size)."""
    about = registry.load().collective(collective)
    if not about.has_data:
        return 0
    if about.output.amount == "part" or about.counts_blocks:
        _check_total(collective, size, ranks)
    count = _divide(collective, size, elem, 1, elem)
    return count * ranks if about.output.amount == "part" else count


def _check_total(collective: str, block: int, ranks: int) -> None:
    if block * ranks > MAX_VECTOR_BYTES:
        raise UsageError(
            f"{ranks} blocks of {format_size(block)} of {collective} are {format_size(block * ranks)}; "
            f"the largest vector is {format_size(MAX_VECTOR_BYTES)}"
        )


def _divide(collective: str, size: int, unit: int, ranks: int, elem: int, or_block: bool = False) -> int:
    if size % unit == 0:
        return size // unit
    below, above = size // unit * unit, (size // unit + 1) * unit
    if unit == elem:
        what = f"whole elements of {elem} bytes"
    else:
        what = f"{ranks} blocks of whole {elem}-byte elements, as {collective} on {ranks} ranks needs"
    hint = "; or give the size of one block with --block-bytes" if or_block and unit != elem else ""
    near = " or ".join(_exact(n) for n in (below, above) if n)
    raise UsageError(f"{_exact(size)} cannot be cut into {what}; nearest: {near}{hint}")


def _exact(size: int) -> str:
    """1 MiB, but 1048577 B where that would be 1.0 MiB."""
    text = format_size(size)
    return f"{size} B" if "." in text else text
