"""A machine that is known by osu_latency's output alone."""

from __future__ import annotations

from pathlib import Path

OSU_ALONE = """name = "osu"
nodes = 8
sockets = 2
cores_per_socket = 8
[curve]
socket = [[0, 0.4e-6, 2e-10]]
node = [[0, 0.7e-6, 2.5e-10]]
network = [[0, 1.8e-6, 1e-9], [4096, 4.5e-6, 8.2e-11]]
"""
KNOWN = (
    *("overhead_s = 2e-7", "nic_gap_s = 0", "memory_bytes_per_s = 9e10", "interconnect_bytes_per_s = 5e10"),
    *(
        "across_bytes_per_s = 1e10",
        "eager_bytes_nonblocking = 8192",
        "gamma_s_per_byte = 2e-10",
        "copy_s_per_byte = 2e-10",
        "first_touch_s_per_byte = 0",
    ),
)
"""Lines with all that such a file leaves open, but for WHOLE."""
WHOLE = OSU_ALONE.replace(
    "[[0, 0.4e-6, 2e-10]]", "[{ from_bytes = 0, latency_s = 0.4e-6, s_per_byte = 2e-10, turnaround_s = 0 }]"
)
"""With what a rank spends before it sends on to another rank."""


def machine(folder: Path, *lines: str, text: str = "") -> str:
    """The path of a specification with more lines at its beginning; with the last of KNOWN it is WHOLE."""
    path = folder / "osu.toml"
    path.write_text("\n".join([*lines, text or (WHOLE if KNOWN[-1] in lines else OSU_ALONE)]))
    return str(path)
