"""The `testbed` command: a cluster of network namespaces on one machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from collscope.base import console, paths
from collscope.base.errors import UsageError, UserError
from collscope.base.grid import KEY, Column, Grid
from collscope.base.units import SECONDS
from collscope.commands.groups import Commands
from collscope.testbed.network import Network

_RATES = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def read_number(name: str, text: str, units: dict[str, float]) -> float:
    """A number with its unit: 50Mbit, 500us. UsageError: it cannot be read."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-zµ]+)", text.strip())
    if not found or found[2].lower() not in units:
        raise UsageError(f'--{name}: cannot read "{text[:40]}"; write a number and one of {", ".join(units)}')
    return float(found[1]) * units[found[2].lower()]


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what the bed is."""
    for option in reversed(
        (
            click.option("--hosts", metavar="N", default=8, show_default=True, help="Hosts, each with one NIC."),
            click.option(
                "--rate",
                metavar="RATE",
                default="50Mbit",
                show_default=True,
                help="Rate of each NIC, in each direction: kbit, Mbit, Gbit.",
            ),
            click.option(
                "--latency",
                metavar="TIME",
                default="500us",
                show_default=True,
                help="Latency from NIC to NIC: us, ms, s.",
            ),
            click.option(
                "--leaves",
                metavar="N",
                default=1,
                show_default=True,
                help="Leaf switches; hosts are distributed evenly.",
            ),
            click.option(
                "--oversubscription",
                metavar="X",
                default=1.0,
                show_default=True,
                help="Total rate of a leaf's hosts, divided by the rate of its uplink.",
            ),
            click.option(
                "--default-eager-limits",
                "own_limits",
                is_flag=True,
                help="Use Open MPI's default eager limits (without it no send waits for its receive).",
            ),
        )
    ):
        command = option(command)
    return command


def network_of(hosts: int, rate: str, latency: str, leaves: int, oversubscription: float, own_limits: bool) -> Network:
    """The network of the options. UsageError: it cannot be."""
    made = Network(
        hosts, read_number("rate", rate, _RATES), read_number("latency", latency, SECONDS), leaves, oversubscription,
        own_limits=own_limits,
    )  # fmt: skip
    made.check()
    return made


def ensure_tools() -> None:
    """Installs what namespaces need, where we may."""
    from collscope.setup import machine, needs
    from collscope.setup.steps import SetupError

    try:
        machine.ensure_packages(paths.ROOT, [needs.TEST_BED])
    except SetupError as error:
        raise UserError(str(error)) from error


@click.group("testbed", short_help="Emulate a cluster on this machine.", cls=Commands)
def command() -> None:
    """Emulate a cluster on this machine: hosts are network namespaces, NICs have a set rate and latency, Open MPI runs over TCP.

    No root is needed where user namespaces and /dev/net/tun are allowed. A test bed leaves nothing behind."""


@command.command("up")
@network_options
def up(**options: Any) -> None:
    """Create a test bed that stays until `down`."""
    from collscope.testbed import bed

    network = network_of(**options)
    ensure_tools()
    made = bed.up(network)
    print(f"up: {made.network.describe()}; ./collscope testbed run -n RANKS PROGRAM, check or down")
    warn_of_priorities(made.realtime)


@command.command("down")
def down() -> None:
    """End the test bed that `up` created."""
    from collscope.testbed import bed

    print("down" if bed.down() else "no test bed is up")


@command.command("check", short_help="Check the rate and latency of a test bed.")
@network_options
def check(**options: Any) -> None:
    """Check that a test bed has the claimed rate (full duplex) and latency, and that nothing is retransmitted.

    Checks the bed that is up; if none is up, a temporary one with these options."""
    from collscope.testbed import bed
    from collscope.testbed import check as checks

    ensure_tools()
    table = Grid(
        (
            Column("pattern", pieces=KEY),
            Column("claimed", right=True),
            Column("measured", right=True),
            Column("", goes=1),
            Column("verdict"),
        )
    )
    there = bed.standing()
    failed = 0
    with bed.standing_or_made(network_of(**options)) as found:
        if there:
            print(f"the bed that is up: {found.network.describe()}")
        warn_of_priorities(found.realtime)
        for finding in checks.check(found):
            failed += not finding.fine
            claimed = f"{finding.claimed:.1f} {finding.unit}"
            table.add(finding.what, claimed, f"{finding.measured:.1f} {finding.unit}", finding.ratio, finding.verdict)
    table.show()
    if failed:
        raise UserError(
            f"{failed} of the bed's claims do not hold; other programs on this machine may keep the switch waiting: look at the load, "
            "lower --rate, or take fewer --hosts"
        )


@command.command(
    "run",
    short_help="Run an MPI program across the hosts of a test bed.",
    context_settings={"allow_interspersed_args": False},
)
@network_options
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(1, 1024),
    metavar="P",
    required=True,
    help="Number of ranks, distributed cyclically over the hosts.",
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(ranks: int, program: tuple[str, ...], **options: Any) -> None:
    """Run an MPI program across the hosts of the bed that is up; if none is up, on a temporary one.

    Behind ./collscope exec --choose … -- its ranks run the chosen algorithms."""
    from collscope.testbed import bed

    network = network_of(**options)
    ensure_tools()
    with bed.standing_or_made(network) as found:
        if network.own_limits:
            found = replace(found, network=replace(found.network, own_limits=True))
        environment = dict(os.environ)
        preload = environment.pop("LD_PRELOAD", "")  # for the ranks, not for mpirun and what makes a host
        status = subprocess.run(found.mpirun(ranks, program, preload=preload), env=environment, check=False).returncode
    if status:
        sys.exit(status if status > 0 else 128 - status)


def warn_of_priorities(realtime: bool) -> None:
    """Says what may disturb where processes of the bed cannot go before others."""
    if not realtime:
        console.note(
            "without root the switch cannot go before other programs: keep this machine quiet while it measures"
        )
