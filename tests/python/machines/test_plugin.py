"""platforms/plugin: what the plug-in refuses in a platform file that another program wrote, and what it takes just beside that."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from collscope.base import programs

pytestmark = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.PLUGIN.exists() and programs.SIM_DRIVER.exists()),
    reason="SimGrid, or what simulates, is not there",
)
HOST = {"node": "0", "socket": "0", "cache": "0", "gamma": "1e-10", "copy": "1e-10"}
ZONE = {
    **{f"curve.{level}": "0 1e-6 1e-9 1" for level in ("cache", "socket", "node", "network")},
    **{f"collscope.{name}": "0" for name in ("overhead_s", "eager_bytes", "eager_bytes_nonblocking")},
}


def properties(of: dict[str, str]) -> str:
    return "".join(f'<prop id="{name}" value="{value}"/>' for name, value in of.items() if value != "-")


def loaded(folder: Path, file: str | None) -> subprocess.CompletedProcess[str]:
    """What loading says; whatever runs then has nothing to do."""
    (folder / "hosts").write_text("h0_core\n")
    environment = {name: value for name, value in os.environ.items() if name != "COLLSCOPE_PLATFORM"}
    command = ["smpirun", "-np", "1", "-hostfile", "hosts", "-platform", str(programs.PLUGIN)]
    return subprocess.run(
        [*command, "--log=root.thresh:warning", str(programs.SIM_DRIVER), "--list", "--json"],
        env=environment | ({"COLLSCOPE_PLATFORM": file} if file else {}),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("curve.node", "-", "its outermost zone has no property 'curve.node'"),
        ("curve.node", "", "curve.node is empty"),
        ("curve.node", "1 1e-6 1e-9 1", "curve.node: pieces start at 0 and ascend"),
        ("curve.node", "0 1e-6 1e-9 1;8 1e-6 1e-9 1;8 1e-6 1e-9 1", "pieces start at 0 and ascend"),
        ("curve.node", "0 1e-6 1e-9 1;8 1e-6 1e-9 1;9 1e-6 1e-9 1", ""),
        ("curve.node", "0 -1e-6 1e-9 1", "nothing is negative"),
        ("curve.node", "0 1e-6 -1e-9 1", "nothing is negative"),
        ("curve.node", "0 0 0 1", ""),
        ("curve.node", "0 1e-6 1e-9 0", "traffic is more than 0: '0 1e-6 1e-9 0'"),
        ("curve.node", "0 1e-6 1e-9 1 -1e-9 0", "nothing is negative"),
        ("curve.node", "0 1e-6 1e-9 1 0 -1e-9", "nothing is negative"),
        ("curve.node", "0 1e-6 1e-9 1 0 0", ""),
        ("curve.node", "0 1e-6 1e-9 1 0", "expected 'from latency s_per_byte traffic [gap gap_per_byte]'"),
        ("curve.node", "0 1e-6 1e-9 1 0 0 0", "in '0 1e-6 1e-9 1 0 0 0'"),
        ("curve.node", "0 1e-6 1e-9", "expected 'from latency s_per_byte traffic"),
        ("curve.node", "0 1e-6 1e-9 1 ;", ""),
        ("curve_nonblocking.node", "4 1e-6 1e-9 1", "curve_nonblocking.node: pieces start at 0"),
        ("collscope.levels", "ring 0 1e9", "collscope.levels: expected 'name caches bytes_per_s; …'"),
        ("collscope.levels", "ring 2", "collscope.levels: expected"),
        ("collscope.levels", "ring 1 1e9", "has no property 'curve.ring'"),
        ("collscope.mesh", "0 257", "collscope.mesh: expected 'socket socket; …', each 0 to 256"),
        ("collscope.mesh", "-1 0", "each 0 to 256"),
        ("collscope.mesh", "0", "each 0 to 256"),
        ("collscope.mesh", "0 256;0 1", "no property 'curve.far'"),
        ("collscope.nic_socket", "0 0 1e-7", "collscope.nic_socket: expected 'socket sockets seconds'"),
        ("collscope.nic_socket", "0 2", "collscope.nic_socket: expected"),
        ("collscope.nic_socket", "1 2 1e-7", ""),
        ("collscope.topology", "torus x", "collscope.topology: expected 'kind hop_latency_s …'"),
        ("collscope.topology", "torus 1e-7 4 4", ""),
        ("collscope.overhead_s", "3e9x", "the property 'collscope.overhead_s' is '3e9x', not a number"),
        ("collscope.overhead_s", "", "the property 'collscope.overhead_s' is '', not a number"),
        ("node", "-", "host h0_core has no property 'node'"),
        ("node", "-1", "host h0_core: property 'node' is '-1', not a whole number below 2^20"),
        ("socket", "1048576", "property 'socket' is '1048576', not a whole number below 2^20"),
        ("cache", "1048575", ""),
        ("cache", "3x", "property 'cache' is '3x'"),
        ("cache", "", "property 'cache' is ''"),
    ],
)
def test_a_property_is_taken_or_refused_by_its_name(name: str, value: str, message: str, tmp_path: Path) -> None:
    at_host = name in HOST
    host = HOST | ({name: value} if at_host else {})
    zone = ZONE | ({} if at_host else {name: value})
    (tmp_path / "p.xml").write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><zone id="z" routing="Full">{properties(zone)}'
        f'<host id="h0_core" speed="1Gf">{properties(host)}</host></zone></platform>\n'
    )
    done = loaded(tmp_path, "p.xml")
    assert done.returncode == bool(message), done.stderr
    assert ("collscope: platform: " in done.stderr) == bool(message) and message in done.stderr, done.stderr


def test_without_a_file_it_says_which_variable_names_it(tmp_path: Path) -> None:
    done = loaded(tmp_path, None)
    assert (
        done.returncode == 1 and "the environment variable COLLSCOPE_PLATFORM does not name an XML file" in done.stderr
    )
