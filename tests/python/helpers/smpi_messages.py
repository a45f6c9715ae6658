"""What a decision table sends, beside what SMPI's own collectives send (tests/libraries/smpi_messages.c).

SMPI's tracing writes a link for each message inside a collective call, with its ends and its bytes, in the order in which
a rank starts them. Where SMPI copies within a rank it sends to itself: no message to another rank, and left out.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from collscope.base import paths
from collscope.twins.call import Messages
from library_calls import Call, Compared, compared, own_messages

SOURCE = Path(__file__).parents[2] / "libraries" / "smpi_messages.c"
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""
OPTIONS = (
    "--cfg=tracing/smpi/internals:yes",
    "--cfg=tracing/smpi/display-sizes:yes",
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thres:warning",
)
OMPI = ("--cfg=smpi/coll-selector:ompi",)


def compile_theirs(folder: Path) -> None:
    options = ["-std=gnu11", "-O1", "-w", f"-I{paths.ROOT}"]
    subprocess.run(["smpicc", *options, "-o", str(folder / "smpi_messages"), str(SOURCE)], check=True)


def traced(trace: Path, ranks: int) -> list[list[Messages]]:
    """By rank: the messages of its calls, in order. Outside of collective calls nothing is sent."""
    calls: list[list[Messages]] = [[] for _ in range(ranks)]
    number: dict[str, int] = {}  # of the trace's containers
    collective: dict[str, bool] = {}  # of its states
    with trace.open() as lines:
        for line in lines:
            kind, *words = line.split()
            if kind == "6":  # a container: time, alias, type, parent, "rank-0"
                number[words[1]] = int(re.findall(r"\d+", words[4])[0])
            elif kind == "5":  # a state: alias, type, name, colour
                collective[words[0]] = words[2] not in ("PMPI_Init", "PMPI_Finalize")
            elif kind == "12" and collective[words[3]]:  # its begin: time, type, container, state
                calls[number[words[2]]].append([])
            elif kind == "15":  # a message's begin: time, type, root, PTP, from, key, bytes
                source, peer = number[words[4]], int(words[5].split("_")[1]) - 1
                if peer != source:
                    calls[source][-1].append(("S", peer, int(words[6])))
    return calls


def library_messages(
    folder: Path, ranks: int, calls: Sequence[Call], options: Sequence[str] = OMPI
) -> dict[tuple[int, int], Messages]:
    """What SMPI sends: call's index and rank → messages. One launch."""
    plan, trace, platform, hosts = (folder / name for name in ("smpi.plan", "smpi.trace", "platform.xml", "hosts"))
    plan.write_text("".join(f"{c.collective} {c.shape}\n" for c in calls))
    platform.write_text(PLATFORM.format(last=ranks - 1))
    hosts.write_text("".join(f"n{i}\n" for i in range(ranks)))
    command = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hosts), "-trace"]
    command += ["-trace-file", str(trace), *OPTIONS, *options, str(folder / "smpi_messages"), str(plan)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    made = traced(trace, ranks)
    trace.unlink()
    assert all(len(of_rank) == len(calls) for of_rank in made), [len(of_rank) for of_rank in made]
    return {(i, rank): messages for rank, of_rank in enumerate(made) for i, messages in enumerate(of_rank)}


# SMPI's knomial bcast sets up its communicators in the first call that takes it: here, before the calls that count.
FIRST = tuple(Call("bcast", 2**k, 1) for k in range(20))


def compare(folder: Path, ranks: int, calls: Sequence[Call], keys: Sequence[str] | None = None) -> list[Compared]:
    """Each call of SMPI with its selector `ompi` beside decision/smpi_ompi's choice, or beside the keys given.

    Where nothing is chosen, SMPI is not asked: some of those calls it does not survive.
    """
    keys = keys or [f"decision/smpi_ompi:{c.collective}" for c in calls]
    own = own_messages(ranks, calls, keys)
    requests = [i for i in range(len(calls)) if i not in own.unsupported]
    theirs = library_messages(folder, ranks, [*FIRST, *(calls[i] for i in requests)])
    sent = {i: tuple(theirs[at, r] for r in range(ranks)) for at, i in enumerate(requests, len(FIRST))}
    nothing: tuple[Messages, ...] = ([],) * ranks
    return [compared(call, keys[i], "SMPI", sent.get(i, nothing), own, i) for i, call in enumerate(calls)]
