"""collscope.explorer.machines: what the page makes a machine's file from."""

from dataclasses import replace

import pytest

from collscope.base.errors import UserError
from collscope.explorer import machines
from collscope.machines import find
from collscope.machines.machine_file import PLACE_LINES, machine_file


def numbers(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.split()[0] not in PLACE_LINES]


@pytest.mark.parametrize("name", ["schooner", "orfeo_epyc", "ib_multicore"])
def test_the_text_for_so_many_nodes_is_the_machines_file_without_places(name: str) -> None:
    made, platform = machines.described(name), find.load(name)
    assert set(made["variant_of_nodes"]) == {n for n in machines.NODES if n <= platform.max_nodes}
    for nodes, variant in made["variant_of_nodes"].items():
        assert numbers(machine_file(platform, nodes, nodes)) == made["variants"][variant]["text"].splitlines()


def test_seats_are_those_of_the_block_mapping() -> None:
    made, platform = machines.described("schooner"), find.load("schooner")
    from collscope.machines.placement import places

    for ranks in (1, 3, 20):
        assert [(socket, cache) for _, socket, cache in places(platform, 1, ranks)] == made["seats"][ranks]


def test_each_draw_is_another_machine() -> None:
    made = machines.described("schooner")
    for variant in made["variants"]:
        lines = variant["text"].split("\n")
        assert len(variant["draws"]) == machines.DRAWS
        texts = {draw if isinstance(draw, str) else tuple(map(tuple, draw)) for draw in variant["draws"]}
        assert len(texts) == machines.DRAWS
        for draw in texts:
            if not isinstance(draw, str):
                assert all(new != lines[at] and new.split()[0] == lines[at].split()[0] for at, new in draw)


def test_a_machine_whose_nodes_differ_is_refused(monkeypatch) -> None:
    platform = find.load("schooner")
    monkeypatch.setattr(find, "load", lambda name: replace(platform, nodes=tuple(platform.nodes[:2])))
    with pytest.raises(UserError, match=r"mine\.xml: its nodes are not alike.*show --on mine\.xml"):
        machines.described("mine.xml")
