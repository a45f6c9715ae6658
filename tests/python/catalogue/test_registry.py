import pytest

from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry


def test_parameters_are_filled_in(known: Registry) -> None:
    assert known.resolve("bcast/mst") == ("bcast", "bcast/mst[dest=first]")
    assert known.resolve("mst[dest=end]", "bcast") == ("bcast", "bcast/mst[dest=end]")
    assert known.resolve("knomial[s=64KiB]", "bcast") == ("bcast", "bcast/knomial[k=4,s=65536]")
    assert known.resolve("bcast/knomial[s=8,k=2]") == ("bcast", "bcast/knomial[k=2,s=8]")
    assert known.resolve("bcast/linear") == ("bcast", "bcast/linear")


def test_decisions_and_builtin(known: Registry) -> None:
    assert known.resolve("decision/ompi_4_1", "bcast") == ("bcast", "decision/ompi_4_1")
    assert known.resolve("builtin", "bcast") == ("bcast", "bcast/builtin")
    assert known.resolve("bcast/builtin") == ("bcast", "bcast/builtin")


@pytest.mark.parametrize(
    ("name", "collective", "says"),
    [
        ("bcast/mts", None, 'did you mean "bcast/mst"'),
        ("knomal", "bcast", 'did you mean "knomial"'),
        ("linear", None, "bcast/linear, scatter/linear"),
        ("mst", "bcst", 'did you mean "bcast"'),
        ("bcast/mst", "allgather", "-c says allgather"),
        ("knomial[q=3]", "bcast", "parameter of bcast/knomial"),
        ("knomial[k=1]", "bcast", "from 2 to 64"),
        ("knomial[k]", "bcast", "write k=VALUE"),
        ("mst[dest=middle]", "bcast", "one of first, end"),
        ("linear[k=2]", "bcast", "no parameters"),
        ("decision/ompi_4_2", "bcast", 'did you mean "decision/ompi_4_1"'),
        ("decision/ompi_4_1", None, "with -c"),
        ("builtin", None, "with -c"),
    ],
)
def test_what_is_not_known_is_explained(known: Registry, name: str, collective: str | None, says: str) -> None:
    with pytest.raises(UsageError) as error:
        known.resolve(name, collective)
    assert says in str(error.value)


def test_types_have_sizes(known: Registry) -> None:
    assert known.type_bytes("double") == 8
    with pytest.raises(UsageError, match='did you mean "float"'):
        known.type_bytes("flaot")
