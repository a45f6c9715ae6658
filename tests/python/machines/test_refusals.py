"""collscope.machines.spec_reader, collscope.machines.overrides, collscope.machines.topology: what is refused, and with which words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.machines import find
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, LAYERED, PRIME, SMALL, SQUARE

TEMPLATES = paths.ROOT / "platforms" / "templates"
Change = tuple[str, str]

# Both sides of each limit: what is taken stands in the text, too.
CHANGES: Mapping[str, tuple[str, tuple[Change, ...]]] = {
    "elements.toml": (ELEMENTS, (
        ('in_order = true', 'in_order = "yes"'),
        ('nic_gap_s = 2e-7', 'nic_gap_s = -1'),
        ('nic_gap_s = 2e-7', 'nic_gap_s = 1e4'),
        ('nonblocking = 900', 'nonblocking = -2'),
        ('per_byte = 3e-10', 'per_byte = -1'),
        ('from_bytes = 2000', 'from_bytes = 0'),
        ('nic_gap_s', 'nic_gab_s'),
        ('[curve_nonblocking]\nsocket', '[curve_nonblocking]\nsock'),
        ('5e-7, 1e-10]', '5e-7, 1e-10, 2]'),
        ('turnaround_s = 1.9e-7', 'turnaround_s = -1.9e-7'),
        ('4e-10, 1, 3e-7, 1e-11,', '4e-10, 1, -3e-7, 1e-11,'),
        ('2e-7, 2e-11]', '-2e-7, 2e-11]'),
        ('4e-10, 1, 3e-7, 1e-11,', '4e-10, 1, 1.6e-6, 1e-11,'),
        ('2e-7, 2e-11]', '1.2e-6, 2e-11]'),
        ('receive_gap_s = 2.3e-7', 'receive_gap_s = 2.3e-6'),
        ('gap_s_per_byte = 2e-11\n', 'receive_gap_s = 5e-7\n'),
        ('5e-7, 2e-11]]', '5e-7, 2e-10]]'),
        ('5e-7, 2e-11]]', '5e-7, 2e-11, 0, 1e-11]]'),
        ('1.6e-6, 4e-10, 1, 3.2e-7', '1.6e-6, 4e-10, 1, 1.4e-6'),
    )),
    "layered.toml": (LAYERED, (
        ('cores = 8\n', 'cores = 16\n'),
        ('cores = 8\n', 'cores = 4\n'),
        ('cores = 4\n', 'cores = 2\n'),
        ('cores = 4\n', 'cores = 3\n'),
        ('nic_socket = 1', 'nic_socket = 2'),
        ('nic_socket = 1', 'nic_socket = 0.5'),
        ('nic_socket = 1', 'nic_socket = -1'),
        ('nic_socket = 1', 'nic_socket = 0'),
        ('name = "numa"', 'name = "ccd"'),
        ('name = "numa"', 'name = "node"'),
        ('name = "numa"', 'name = "cores2"'),
        ('cores_per_cache = 2\n', ''),
        ('name = "numa"', 'name = "NUMA 4"'),
        ('bytes_per_s = 13e9', 'bytes_per_s = -13e9'),
        ('bytes_per_s = 13e9', 'bytes_per_s = 13e19'),
        ('bytes_per_s = 13e9', 'bytes_per_s = 1e9'),
        ('\nnuma =', '\nnumma ='),
        ('node = [[0, 8.3e-7, 2.3e-10]]', 'far = [[0, 8.3e-7, 2.3e-10]]'),
    )),
    "square.toml": (SQUARE, (
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1], [0, 2], [1, 3], [2, 4]'),
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1], [0, 2], [1, 3], [2, -1]'),
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1], [0, 2], [1, 3], [2, 2]'),
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1], [0, 2], [1, 3], [1, 0]'),
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1], [2, 3]'),
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1], [1, 2], [2, 3]'),
        ('[0, 1], [0, 2], [1, 3], [2, 3]', '[0, 1, 2]'),
    )),
    "small.toml": (SMALL, (
        ('nodes = 3', 'nodes = 0'),
        ('nodes = 3', 'nodes = = 3'),
        ('nodes = 3', 'nods = 3'),
        ('nic_bytes_per_s = 1e9', 'nic_bytes_per_s = "fast"'),
        ('nic_bytes_per_s = 1e9', 'nic_bytes_per_s = { value = 1e9, tag = "guess" }'),
        ('nic_bytes_per_s = 1e9', 'nic_bytes_per_s = { value = 1e9, range = [2e9, 3e9] }'),
        ('nic_bytes_per_s = 1e9', 'nic_bytes_per_s = 1e8'),
        ('\nsocket =', '\nsockett ='),
        ('[0, 1e-6, 2e-10]', '[0, 1e-6]'),
        ('[1024,', '[0,'),
        ('[0, 1e-6, 2e-10]', '[0, -1e-6, 2e-10]'),
        ('sockets = 2', 'sockets = 2\noverhead_s = 6e-7'),
    )),
    "prime.toml": (PRIME, (
        ('nodes = 3', 'nodes = 1'),
        ('nodes = 3', 'nodes = 0.5'),
        ('nodes = 3', 'nodes = 1.5'),
        ('cores_per_cache = 3', 'cores_per_cache = 4'),
        ('cores_per_cache = 3', 'cores_per_cache = 2'),
        ('eager_bytes = 1009', 'eager_bytes = 0'),
        ('eager_bytes = 1009', 'eager_bytes = -1'),
        ('eager_bytes = 1009', 'eager_bytes = -2'),
        ('gamma_s_per_byte = 3.1e-10', 'gamma_s_per_byte = 0'),
        ('gamma_s_per_byte = 3.1e-10', 'gamma_s_per_byte = -1e-12'),
        ('[0, 6.1e-7, 1.7e-10]', '[0, 6.1e-7, 1.7e-10, 1]'),
        ('[0, 6.1e-7, 1.7e-10]', '[0, 6.1e-7, 1.7e-10, 0]'),
        ('[0, 6.1e-7, 1.7e-10]', '[0, 6.1e-7, 1.7e-10, 1, 1]'),
        ('[0, 6.1e-7, 1.7e-10]', '[1, 6.1e-7, 1.7e-10]'),
        ('[64, 1.7e-6, 4.1e-10]', '[5002, 1.7e-6, 4.1e-10]'),
        ('[64, 1.7e-6, 4.1e-10]', '[5003, 1.7e-6, 4.1e-10]'),
        ('[64, 1.7e-6, 4.1e-10]', '[5004, 1.7e-6, 4.1e-10]'),
        ('overhead_s = 1.3e-7', 'overhead_s = { value = 1.3e-7, range = [1.3e-7, 1.4e-7] }'),
        ('overhead_s = 1.3e-7', 'overhead_s = { value = 1.3e-7, range = [1.2e-7, 1.3e-7] }'),
        ('overhead_s = 1.3e-7', 'overhead_s = { value = 1.3e-7, range = [1.31e-7, 1.4e-7] }'),
        ('overhead_s = 1.3e-7', 'overhead_s = { value = 1.3e-7, range = [1.2e-7, 1.29e-7] }'),
        ('overhead_s = 1.3e-7', 'overhead_s = 2.5e-7'),
        ('overhead_s = 1.3e-7', 'overhead_s = 2.51e-7'),
        ('switch_bytes_per_s = 11e9', 'switch_bytes_per_s = 4.2e9'),
        ('switch_bytes_per_s = 11e9', 'switch_bytes_per_s = 4.1e9'),
        ('interconnect_bytes_per_s = 17e9', 'interconnect_bytes_per_s = 12.7e9'),
        ('interconnect_bytes_per_s = 17e9', 'interconnect_bytes_per_s = 12.5e9'),
        ('core_bytes_per_s = 23e9', 'core_bytes_per_s = 17.3e9'),
        ('core_bytes_per_s = 23e9', 'core_bytes_per_s = 17.2e9'),
        ('memory_bytes_per_s = 41e9', 'memory_bytes_per_s = 17.2e9'),
    )),
    "torus.toml": ((TEMPLATES / "torus.toml").read_text(), (
        ('allocation = "contiguous"', 'allocation = "60-130"'),
        ('nodes = 64', 'nodes = 65'),
        ('allocation = "contiguous"', 'allocation = [[4, 0, 0]]'),
        ('dims = [4, 4, 4] ', 'leaves = 3'),
        ('kind = "torus"', 'kind = "tours"'),
        ('dims = [4, 4, 4]', 'dims = [4, 0, 4]'),
        ('link_bytes_per_s = 5.0e9', 'link_bytes_per_s = 0'),
        ('link_bytes_per_s = 5.0e9', '#'),
        ('dims = [4, 4, 4]', 'dims = [4, 1000, 4]'),
    )),
    "fat_tree.toml": ((TEMPLATES / "fat_tree.toml").read_text(), (
        ('leaves = 4', '# '),
        ('link_bytes_per_s = 12.0e9', 'link_bytes_per_s = 1e9'),
    )),
}  # fmt: skip
VARIANTS = (
    "prime[network.latency_s=xfast]",
    "prime[gamma_s_per_byte=xfast]",
    "prime[gamma_s_per_byte=-1]",
    "prime[nodes=0]",
    "prime[nodes=-1]",
    "prime[eager_bytes=-1.5]",
    "prime[fresh_from_bytes=0.5]",
    "prime[fresh_from_bytes=1]",
    "prime[in_order=yes]",
    "prime[in_order=0]",
    "prime[cores_per_cache=4]",
    "prime[" + "nodes" + "=" + "1" * 91 + "]",
    "schooner[network.s_per_byte=x0.5]",
    "schooner[network.s_per_byte=1e-10]",
    "schooner[network.s_per_byte=x0]",
    "schooner[network.s_per_byte=xnan]",
    "schooner[cache.latency_s=x2]",
    "schooner[netwrk.latency_s=x2]",
    "schooner[nic_bytes_per_s=xfast]",
    "schooner[nic_bytes_per_s=x0]",
    "schooner[nodes=1e9]",
    "schooner[nodes=2,cores_per_socket=40000]",
    "schooner[overhead_s=1e300]",
    "schooner[nic_bytes_per_s=1e300]",
    "schooner[eager_bytes=1e300]",
    "ideal[alpha=1e300]",
    "ideal[beta=1e-320]",
    "ideal[beta=1e999]",
    "ideal[cores=1e999]",
    "ideal[nodes=1e9]",
    "ideal[nodes=nan]",
    "schooner[topology=torus]",
    "schooner[topology.first=-1]",
    "schooner[topology.seed=1.5]",
    "schooner[topology.leaves=0]",
    "schooner[topology.leaves=12345678]",
    "schooner[topology.link_bytes_per_s=fast]",
    "schooner[topology.link_bytes_per_s=xx2]",
    "schooner[topology.link_bytes_per_s=0]",
    "schooner[topology.link_bytes_per_s=inf]",
    "schooner[topology.hop_latency_s=-1e-9]",
    "schooner[nodes=1000]",
    "schooner[topology=switch,topology.seed=1]",
    "scooner",
    "/nowhere/x.toml",
    "schooner[nodes=2",
    "schooner[gamma=1]",
    "schooner[nodes]",
    "schooner[nic_bytes_per_s=1e9]",
    "ideal[alfa=1]",
    "ideal[alpha=1fortnight]",
)


def answer(make: Callable[[], object]) -> str:
    try:
        make()
    except UserError as error:
        return str(error)
    return "taken"


def lines() -> Iterator[str]:
    for name, (text, changes) in CHANGES.items():
        for old, new in changes:
            assert old in text, (name, old)
            yield f"{old!r} → {new!r}"
            yield f"    {answer(lambda: parse_spec(text.replace(old, new), name))}"  # noqa: B023
    for variant in VARIANTS:
        base, _, values = variant.partition("[")
        key, _, value = values[:-1].partition("=")
        yield variant[:60]
        yield f"    {answer(lambda: parse_spec(PRIME, '', {key: value}) if base == 'prime' else find.load(variant))}"  # noqa: B023


def test_refusals_say_what_and_where_and_what_to_do(golden: Callable[[str, str], None]) -> None:
    golden("refusals", "\n".join(lines()))
