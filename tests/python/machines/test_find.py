"""collscope.machines.find: platforms by name, with other numbers, and by path."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.machines import find, overrides
from collscope.machines.limits import MAX_CORES
from made_platforms import SMALL, write


def test_platforms_are_listed_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "PLATFORMS", tmp_path)
    for name in "hbfdgace":
        write(tmp_path, SMALL, f"{name}.toml")
    (tmp_path / "measured").mkdir()
    write(tmp_path / "measured", SMALL, "spec.toml")
    assert find.list_platforms() == ["ideal", *"abcdefgh", "measured"]
    assert find.spec_path("measured") == tmp_path / "measured" / "spec.toml"
    assert find.spec_path("x") == find.measured_path("x").parent.with_suffix(".toml") == tmp_path / "own" / "x.toml"
    assert find.measured_path("measured") == find.spec_path("measured")


def test_machines_of_a_user_lie_apart_and_in_a_tree_of_somebody_else_in_their_own_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by name all the same; this machine as the user measured it goes before the tree's."""
    tree, own = tmp_path / "tree", tmp_path / "home" / "collscope" / "platforms"
    monkeypatch.setattr(find, "PLATFORMS", tree)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    (tree / "this_machine").mkdir(parents=True)
    write(tree / "this_machine", SMALL, "spec.toml")
    write(tree, SMALL, "small.toml")
    assert find.measured_path("this_machine") == tree / "this_machine" / "spec.toml"
    monkeypatch.setattr(paths, "is_writable", lambda path: tree not in (path, *path.parents))
    assert find.measured_path("this_machine") == own / "this_machine" / "spec.toml"
    assert find.spec_path("this_machine") == tree / "this_machine" / "spec.toml"
    (own / "this_machine").mkdir(parents=True)
    for name in ("this_machine/spec.toml", "mine.toml", "small.toml"):
        write(own, SMALL.replace("nodes = 3", "nodes = 2"), name)
    assert find.spec_path("this_machine") == own / "this_machine" / "spec.toml"
    (tree / "own" / "cluster").mkdir(parents=True)
    for name in ("cluster/spec.toml", "mine.toml"):  # made by whoever keeps the tree, for all
        write(tree / "own", SMALL, name)
    assert [find.load(name).max_nodes for name in ("mine", "small", "cluster")] == [2, 3, 3]
    assert find.list_platforms() == ["ideal", "cluster", "mine", "small", "this_machine"]
    assert find.measured_path("cluster") == own / "cluster" / "spec.toml"
    assert [find.load(name).typed for name in ("mine", "this_machine")] == ["mine", ""], "it has the nodes that it has"


def test_numbers_in_brackets() -> None:
    p = find.load("schooner[nodes=40,gamma_s_per_byte=5e-10]")
    assert (p.name, p.max_nodes, p.gamma_s_per_byte) == ("schooner[nodes=40,gamma_s_per_byte=5e-10]", 40, 5e-10)


def test_loading_a_machine_writes_no_file_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes the longest, and what models and bounds do without."""
    written: list[int] = []
    monkeypatch.setattr(find, "xml_of", lambda machine, nodes: written.append(nodes.total) or "text")
    made = find.load("schooner[nodes=11]")
    assert not written
    assert made.text == "text" and written == [11]


def test_a_path_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    (tmp_path / "pipe.xml").symlink_to("/dev/null")
    (tmp_path / "empty").mkdir()
    for name, words in (
        (f"{tmp_path}/loop.toml", "loop.toml: there is no such file"),
        (f"{tmp_path}/pipe.xml", "pipe.xml: not a regular file"),
        (f"{tmp_path}/empty/", "spec.toml: there is no such file"),
        ("~nosuch/x.toml", "~nosuch/x.toml: there is no such file"),
    ):
        with pytest.raises(UsageError, match=words):
            find.load(name)


def test_the_ideal_network_has_its_defaults_and_limits() -> None:
    def read(text: str) -> tuple[float, ...]:
        values = overrides.values_of(text, "ideal")
        return tuple(overrides.ideal_numbers(values)[key] for key in ("alpha", "beta", "gamma", "cores"))

    assert read("") == (1e-6, 1e-9, 2.5e-10, 1)
    assert read("alpha=3, beta=2e-3") == (3, 2e-3, 2.5e-10, 1)
    units = {"2s": 2, "2ms": 2e-3, "2us": 2e-6, "2µs": 2e-6, "2 ns": 2e-9, "0": 0}
    assert {text: read(f"alpha={text}")[0] for text in units} == units
    assert find.load("ideal[nodes=3,cores=5]").max_nodes == 3
    assert find.load("ideal[nodes=3,cores=5]").cores_per_node == 5
    assert overrides.ideal_numbers({"cores": str(overrides.IDEAL_HOSTS * 2)})["nodes"] == 1
    most = {"cores": "1", "nodes": str(MAX_CORES)}
    assert overrides.ideal_numbers(most)["nodes"] == MAX_CORES
    two = {"cores": "2", "nodes": str(MAX_CORES // 2)}
    assert overrides.ideal_numbers(two)["nodes"] == MAX_CORES // 2
    with pytest.raises(UsageError, match=f"from 1 to {MAX_CORES // 2}, as it has at most {MAX_CORES} cores"):
        overrides.ideal_numbers(two | {"nodes": str(MAX_CORES // 2 + 1)})
    for key, value in (
        ("cores", "0"), ("cores", "1.5"), ("nodes", "0"), ("nodes", "1.5"), ("nodes", str(MAX_CORES + 1)),
        ("cores", str(MAX_CORES + 1)), ("beta", "0"), ("alpha", "1e4"), ("beta", "2"), ("gamma", "2"),
        ("gamma", "-1"), ("alpha", "1.2.3"),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            overrides.ideal_numbers(most | {"nodes": "1"} | {key: value})


def test_values_in_brackets_are_pairs() -> None:
    assert overrides.values_of(" a = 1 ,b=x=2,, ", "m") == {"a": "1", "b": "x=2"}
    for text in ("a", "a=", "a= ,b=1"):
        with pytest.raises(UsageError, match=r'^m: cannot read "a=?"; write key=value$'):
            overrides.values_of(text, "m")
    longest = "k" * overrides.MAX_VALUE_CHARACTERS
    with pytest.raises(UsageError, match="no parameter"):
        overrides.ideal_numbers({longest: "1"})
    for pair in ({longest + "k": "1"}, {"alpha": longest + "k"}):
        with pytest.raises(UsageError, match="too long"):
            overrides.ideal_numbers(pair)


def test_a_platform_is_named_and_kept_by_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, SMALL, "mine.toml")
    p = find.load(file)
    assert (p.name, p.typed) == ("small", file)
    assert find.load(file) is p, "until its file changes"
    write(tmp_path, SMALL.replace("nodes = 3", "nodes = 2"), "mine.toml")
    assert find.load(file).max_nodes == 2
    many = find.load(f"{file}[nodes=7]")
    assert (many.max_nodes, many.typed) == (7, f"{file}[nodes=7]")
    named = find.load(" schooner[ nodes=3 ] ")
    assert (named.name, named.typed, named.max_nodes) == ("schooner[ nodes=3 ]", "schooner[ nodes=3 ]", 3)
    assert find.load_spec("schooner[nodes=5]").nodes == 5
    assert find.load("ideal").typed == "ideal"
    for name in ("ideal", str(named.xml)):
        with pytest.raises(UserError, match="has no specification"):
            find.load_spec(name)
    with pytest.raises(UsageError, match="values in brackets belong to specifications"):
        find.load(f"{named.xml}[nodes=2]")
    with pytest.raises(UsageError, match="a platform is a specification"):
        find.load(write(tmp_path, SMALL, "mine.txt"))
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder", SMALL, "spec.toml")
    assert find.load(f"{tmp_path}/folder").name == "small"
    assert find.spec_path("schooner") == find.PLATFORMS / "schooner.toml"
    monkeypatch.chdir(tmp_path)
    assert (find.load("mine.toml").name, find.load("./mine.toml").typed) == ("small", "./mine.toml")
    assert find.load("folder/").name == "small"
