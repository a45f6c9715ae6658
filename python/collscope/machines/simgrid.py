"""How SimGrid is told of a platform: the arguments and environment of smpirun, and the hash of all that it owes to them."""

from __future__ import annotations

import hashlib

from collscope.base import paths, programs
from collscope.machines.platform import Platform
from collscope.machines.simgrid_settings import (
    COMMON_SETTINGS,
    FACTOR_SETTINGS,
    NETWORK_SETTINGS,
    protocol_settings,
)
from collscope.machines.spec import text_of

PLUGIN_SOURCES = paths.ROOT / "platforms" / "plugin"


def _network_settings(platform: Platform) -> dict[str, str]:
    """A file that says nothing of its curves keeps the settings of its own <config>."""
    if not platform.curves:
        return {}
    settings = NETWORK_SETTINGS | protocol_settings(
        max(platform.eager_bytes, platform.eager_bytes_nonblocking), platform.overhead_s
    )
    if platform.curves == "uniform":
        return settings | FACTOR_SETTINGS
    # Ranks that share a core: the plug-in wants a latency of 1 s on every route, and gives them the closest class.
    return settings | {"network/loopback-lat": "1", "network/loopback-bw": text_of(platform.core_bytes_per_s)}


def smpirun_args(platform: Platform) -> list[str]:
    """The platform and its settings as smpirun's arguments. UserError: its plug-in is not built."""
    settings = COMMON_SETTINGS | _network_settings(platform)
    # Where the plug-in says what sends cost, SMPI warns of each host that its own settings do so, too.
    flags = ["--log=root.thresh:warning", *(["--log=smpi_host.thresh:error"] if platform.has_kinds else [])]
    flags += [f"--cfg={k}:{v}" for k, v in settings.items()]
    if platform.curves != "plug-in":
        return ["-platform", str(platform.xml.absolute()), *flags]
    plugin = programs.needed(programs.PLUGIN, f"{platform.name} needs it for its curves")
    return ["-platform", str(plugin), *flags]


def smpirun_env(platform: Platform) -> dict[str, str]:
    """What smpirun's environment must hold besides the caller's own."""
    return {"COLLSCOPE_PLATFORM": str(platform.xml.absolute())}  # smpirun is started elsewhere


def content_hash(platform: Platform) -> str:
    """Hash of all that a simulated time owes to the platform."""
    h = hashlib.sha256(platform.identity)
    h.update(repr(sorted((COMMON_SETTINGS | _network_settings(platform)).items())).encode())
    if platform.curves == "plug-in":
        for source in sorted(PLUGIN_SOURCES.iterdir()):
            h.update(source.read_bytes())
    return h.hexdigest()
