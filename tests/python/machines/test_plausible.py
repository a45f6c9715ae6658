"""What a specification may say and hardly means: limits, doubts, curves that are missing or scaled, links that change nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collscope.base.errors import UsageError, UserError
from collscope.machines import find
from collscope.machines.hosts import hosts_of
from made_platforms import SMALL, write


def test_several_nodes_need_a_curve_of_the_network(tmp_path: Path) -> None:
    path = write(tmp_path, re.sub(r"network = .*\n", "", SMALL))
    machine = find.load(path)
    assert len(hosts_of(machine, 1, 4)) == 4
    with pytest.raises(UserError, match=rf"{re.escape(path)}: there is no curve .* 2 nodes .* add network = "):
        hosts_of(machine, 2, 4)
    alone = find.load(
        write(tmp_path, re.sub(r"network = .*\n", "", SMALL).replace("nodes = 3", "nodes = 1"), "one.toml")
    )
    assert not alone.lacks_network


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (("3e-6, 2e-9", "3e-3, 2e-9"), 8, r"curve.network: latency_s 0.003 is 3 ms .* microseconds"),
        (("1e-6, 2e-10", "1e-3, 2e-10"), 7, r"curve.socket: latency_s 0.001 is 1 ms"),
        (("4e-6, 1e-9", "4e-6, 1e-6"), 8, r"curve.network: s_per_byte 1e-06 is 1 MB/s"),
        (("sockets = 2", "sockets = 2\ngamma_s_per_byte = 1e-6"), 4, "gamma_s_per_byte: 1e-06 is 1 MB/s"),
    ],
)
def test_times_a_thousand_times_too_large_are_doubted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], line: int, says: str
) -> None:
    find.load(write(tmp_path, SMALL.replace(*change)))
    err = capsys.readouterr().err
    assert re.search(rf"small\.toml:{line}: .*{says}", err), err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["schooner", "ideal[alpha=1]"])
def test_what_is_usual_or_theory_is_not_doubted(capsys: pytest.CaptureFixture[str], name: str) -> None:
    find.load(name)
    assert capsys.readouterr().err == ""


def test_a_wider_nic_that_the_curve_hides_is_told_with_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    find.load("schooner[nic_bytes_per_s=9e9]")
    err = capsys.readouterr().err
    assert (
        "nic_bytes_per_s 9e+09 instead of 4.5e+09: a message alone takes as long as before, as curve.network says"
        in err
    )
    words = re.search(r"With the curve: (\[.*\])", err)
    assert words
    faster = find.load(f"schooner{words.group(1)}")
    assert capsys.readouterr().err == ""
    assert faster.wire["network"][-1].s_per_byte == pytest.approx(2.23e-10 / 2)
    find.load("schooner[network.s_per_byte=x2,nic_bytes_per_s=4e9]")  # narrower: nothing to say
    assert capsys.readouterr().err == ""


def test_curves_and_numbers_are_scaled() -> None:
    plain = find.load("schooner")
    slow = find.load("schooner[network.latency_s=x2,nic_bytes_per_s=x1.1,nodes=x2]")
    both = 2 * plain.overhead_s
    pairs = list(zip(plain.wire["network"], slow.wire["network"], strict=True))
    # The last piece is no eager one and holds no overheads.
    assert [s.latency_s for _, s in pairs[:2]] == [pytest.approx(2 * (p.latency_s + both) - both) for p, _ in pairs[:2]]
    assert pairs[-1][1].latency_s == pytest.approx(2 * pairs[-1][0].latency_s)
    assert [s.s_per_byte for _, s in pairs] == [p.s_per_byte for p, _ in pairs]
    assert slow.number("nic_bytes_per_s") == pytest.approx(1.1 * 4.5e9)
    assert slow.max_nodes == 2 * plain.max_nodes
    cache = find.load("schooner[socket.latency_s=x2]").wire
    assert cache["cache"] == cache["socket"]  # the cache has its socket's curve


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("schooner[network.s_per_byte=x0.5]", "faster than the narrowest link"),
        ("schooner[network.s_per_byte=1e-10]", "as in network.s_per_byte=x0.5"),
        ("schooner[network.s_per_byte=x0]", "takes a factor"),
        ("schooner[network.s_per_byte=xnan]", "takes a factor"),
        ("schooner[cache.latency_s=x2]", "there is no curve.cache"),
        ("schooner[netwrk.latency_s=x2]", 'did you mean "network.latency_s"'),
        ("schooner[nic_bytes_per_s=xfast]", "a factor such as x2"),
        ("schooner[nodes=1e9]", "1000000000 nodes are too many: at most 2048"),
        ("schooner[nodes=2000,cores_per_socket=20]", "at most 65536 in all"),
        ("schooner[overhead_s=1e300]", "0 or 1e-18 to 1000 seconds"),
        ("schooner[nic_bytes_per_s=1e300]", "to 1e+18 bytes a second"),
        ("schooner[eager_bytes=1e300]", "bytes"),
        ("ideal[alpha=1e300]", "0 or 1e-18 to 1000 seconds"),
        ("ideal[beta=1e-320]", "0 or 1e-18 to 1 seconds a byte"),
        ("ideal[beta=1e999]", "finite"),
        ("ideal[cores=1e999]", "cores must be a whole number"),
        ("ideal[nodes=1e9]", "from 1 to 65536"),
        ("ideal[nodes=nan]", "cannot read nodes"),
    ],
)
def test_what_a_variant_cannot_be(name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        find.load(name)
    assert says in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_what_is_advised_works() -> None:
    """Every --on in a complaint about ranks that do not fit is a machine on which they fit."""
    for name, nodes, ranks in (
        ("ideal[cores=1]", 4096, 4096),
        ("ideal[cores=4]", 300, 1200),
        ("schooner", 20, 800),
        ("schooner", 10, 800),
        ("schooner[nodes=20]", 20, 800),
        ("schooner", 17, 17),
        ("schooner", 20, 18),
    ):
        with pytest.raises(UsageError) as caught:
            hosts_of(find.load(name), nodes, ranks)
        advice = re.search(r"say --on '(.*)'(?: --nodes (\d+))?$", str(caught.value))
        if advice:
            assert len(hosts_of(find.load(advice.group(1)), int(advice.group(2) or nodes), ranks)) == ranks
        else:
            fewer = re.search(r"use --nodes (\d+)$", str(caught.value))
            assert fewer, str(caught.value)
            assert len(hosts_of(find.load(name), int(fewer.group(1)), ranks)) == ranks


def test_a_machine_that_is_too_large_is_not_advised() -> None:
    with pytest.raises(UsageError, match="at most 2048$"):
        hosts_of(find.load("schooner"), 3000, 3000)


def test_a_file_beside_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, SMALL, "mine.toml")
    with pytest.raises(UsageError, match=r"did you mean \./mine\.toml\[nodes=2\]\?"):
        find.load("mine[nodes=2]")
    with pytest.raises(UsageError, match=r"say --on './mine\.toml\[nodes=4\]'"):
        hosts_of(find.load("./mine.toml[nodes=2]"), 4, 4)
    assert find.load("./mine.toml[nodes=2]").max_nodes == 2
