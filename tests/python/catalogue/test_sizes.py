"""collscope.catalogue.sizes: bytes and counts of each collective."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collscope.base.errors import UsageError
from collscope.catalogue.sizes import block_bytes, count_of_block_bytes, count_of_bytes, elem_bytes, vector_bytes

pytestmark = pytest.mark.usefixtures("known")


@settings(max_examples=40)
@given(
    st.sampled_from(["bcast", "scatter", "allgather", "reduce_scatter", "allreduce", "rotation"]),
    st.integers(0, 1 << 34),
    st.integers(1, 4096),
    st.sampled_from([1, 4, 8]),
)
def test_counts_come_back(collective: str, count: int, ranks: int, elem: int) -> None:
    size = vector_bytes(collective, count, ranks, elem)
    assert count_of_bytes(collective, size, ranks, elem) == count
    block = block_bytes(collective, count, ranks, elem)
    back = count_of_block_bytes(collective, block, ranks, elem)
    assert block_bytes(collective, back, ranks, elem) == block
    if collective != "reduce_scatter":
        assert back == count


def test_blocks_that_make_more_than_the_largest_vector_are_refused() -> None:
    assert count_of_block_bytes("bcast", 1 << 50, 1024, 1) == 1 << 50
    for collective in ("allgather", "alltoall", "reduce_scatter"):
        assert block_bytes(collective, count_of_block_bytes(collective, 1 << 40, 1024, 1), 1024, 1) == 1 << 40
        with pytest.raises(UsageError, match="1024 blocks of 2 TiB .* the largest vector is 1024 TiB"):
            count_of_block_bytes(collective, 1 << 41, 1024, 1)


@pytest.mark.parametrize(
    ("collective", "vector", "block"),
    [
        ("bcast", 80, 80), ("allreduce", 80, 80), ("reduce_scatter", 80, 32), ("scatter", 240, 80), ("allgather", 240, 80),
        ("reduce_scatter_block", 240, 80), ("barrier", 0, 0),
    ],
)  # fmt: skip
def test_bytes_of_ten_doubles_on_three_ranks(collective: str, vector: int, block: int) -> None:
    """And back again, from the vector and from the block; a reduce_scatter's block of four doubles is of twelve in all."""
    assert (vector_bytes(collective, 10, 3, 8), block_bytes(collective, 10, 3, 8)) == (vector, block)
    assert count_of_bytes(collective, vector, 3, 8) == (10 if vector else 0)
    assert count_of_block_bytes(collective, block, 3, 8) == (
        12 if collective == "reduce_scatter" else 10 if block else 0
    )
    assert count_of_bytes("barrier", 7, 3, 8) == count_of_block_bytes("barrier", 7, 3, 8) == 0
    assert (elem_bytes("double"), elem_bytes("float")) == (8, 4)


@pytest.mark.parametrize(
    ("collective", "size", "says"),
    [
        ("bcast", 1021, "1021 B cannot be cut into whole elements of 4 bytes; nearest: 1020 B or 1 KiB"),
        ("bcast", (1 << 20) + 1, "1048577 B cannot be cut into whole elements of 4 bytes; nearest: 1 MiB or 1048580 B"),
        ("bcast", 1018, "1018 B cannot be cut into whole elements of 4 bytes; nearest: 1016 B or 1020 B"),
        ("allgather", 13, "13 B cannot be cut into 3 blocks of whole 4-byte elements, as allgather on 3 ranks needs; nearest: "
         "12 B or 24 B; or give the size of one block with --block-bytes"),
        ("allgather", 5, "nearest: 12 B; or give the size of one block with --block-bytes"),
    ],
)  # fmt: skip
def test_the_nearest_sizes_in_words(collective: str, size: int, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        count_of_bytes(collective, size, 3, 4)
    assert str(caught.value).endswith(says)
