import pytest
from hypothesis import given
from hypothesis import strategies as st

from collscope.base.errors import UsageError
from collscope.catalogue.sizes import block_bytes, count_of_block_bytes, count_of_bytes, vector_bytes

pytestmark = pytest.mark.usefixtures("known")


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


def test_sizes_that_do_not_divide_name_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"nearest: 96 B or 192 B; or give the size of one block with --block-bytes"):
        count_of_bytes("allgather", 100, 24, 4)
    with pytest.raises(UsageError, match="whole elements of 4 bytes; nearest: 4 B or 8 B$"):
        count_of_bytes("bcast", 5, 24, 4)
    with pytest.raises(UsageError, match="nearest: 4 B$"):
        count_of_bytes("bcast", 3, 24, 4)


def test_blocks_that_make_more_than_the_largest_vector_are_refused() -> None:
    assert count_of_block_bytes("bcast", 1 << 50, 1024, 1) == 1 << 50
    for collective in ("allgather", "alltoall", "reduce_scatter"):
        assert block_bytes(collective, count_of_block_bytes(collective, 1 << 40, 1024, 1), 1024, 1) == 1 << 40
        with pytest.raises(UsageError, match="1024 blocks of 2 TiB .* the largest vector is 1024 TiB"):
            count_of_block_bytes(collective, 1 << 41, 1024, 1)
