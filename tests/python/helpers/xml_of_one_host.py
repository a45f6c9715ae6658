"""A platform file of one host, for tests of what it must not hold."""

from __future__ import annotations

HOST = {"node": "0", "socket": "0", "cache": "0", "gamma": "1e-10", "copy": "1e-10"}


def platform_xml(config: str = "", host: str = "h0", head: str = "", **properties: str) -> str:
    """The file's text: settings of <config>, the host's id, what stands before <platform>, and other properties of the host."""
    lines = "".join(f'<prop id="{k}" value="{v}"/>' for k, v in (HOST | properties).items())
    return (
        f'<?xml version="1.0"?>\n{head}<platform version="4.1">\n<config>{config}</config>\n<zone id="z" routing="Full">\n'
        f'<host id="{host}" speed="1Gf">{lines}</host>\n</zone></platform>\n'
    )
