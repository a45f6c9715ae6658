"""Work on other machines, by Dask: what `--cluster` says, and the workers that it means.

Dask is imported when a cluster is opened, and installed then where it is missing.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from collscope.base import console, leftovers, paths
from collscope.base.errors import UsageError, UserError, did_you_mean
from collscope.base.units import counted
from collscope.setup import machine, own_simgrid
from collscope.setup.steps import SetupError

EXTRA = "cluster"  # of pyproject.toml: the libraries
FORMS = "local:N, tcp://HOST:PORT or slurm[partition=…]"
MAX_WORKERS = 4096
DEATHS = 3  # of workers that one piece of work outlives
ANSWER_S = 20.0  # that a scheduler has to answer in
# Of slurm[…]: key → what its value looks like, an example of it, and what it is where nothing is said.
_WORD = r"[A-Za-z0-9_][A-Za-z0-9_.,@:-]*"
SLURM = {
    "partition": (_WORD, "compute", ""),
    "account": (_WORD, "physics", ""),
    "jobs": (r"[1-9][0-9]{0,3}", "8", "1"),
    "cores": (r"[1-9][0-9]{0,3}", "4", "1"),
    "memory": (r"[1-9][0-9]*(?:\.[0-9]+)?[KMGT]i?B", "8GiB", "2GiB"),
    "walltime": (r"(?:[0-9]+-)?[0-9]{1,2}:[0-5][0-9]:[0-5][0-9]", "01:30:00", "01:00:00"),
    "interface": (_WORD, "ib0", ""),
}


@dataclass(frozen=True)
class Wanted:
    """A cluster as typed: local, tcp or slurm; how many workers; the scheduler's address, or Slurm's values."""

    kind: str
    workers: int = 0  # 0: as many as there are
    address: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


def parse(text: str) -> Wanted:
    """What `--cluster TEXT` wants. UsageError: what is wrong in it, and what to write."""
    kind, bracket, rest = text.strip().partition("[")
    if kind == "slurm" and (not bracket or rest.endswith("]")):
        values = _slurm(text, rest.removesuffix("]"))
        return Wanted("slurm", int(values["jobs"]) * int(values["cores"]), values=values)
    if found := re.fullmatch(r"local:([0-9]{1,6})", text.strip()):
        if not 1 <= int(found[1]) <= MAX_WORKERS:
            raise UsageError(f"--cluster {text}: a number of workers is 1 to {MAX_WORKERS}")
        return Wanted("local", int(found[1]))
    if found := re.fullmatch(r"tcp://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):([0-9]{1,5})", text.strip()):
        if not 1 <= int(found[2]) <= 65535:
            raise UsageError(f"--cluster {text}: a port is 1 to 65535")
        return Wanted("tcp", address=text.strip())
    raise UsageError(f"--cluster {text}: is none of {FORMS}{did_you_mean(kind, ('slurm', 'local:2'))}")


def _slurm(text: str, inside: str) -> dict[str, str]:
    values = {key: default for key, (_, _, default) in SLURM.items()}
    seen = set()
    for part in filter(None, (p.strip() for p in re.split(r",(?=[^=,]*=)", inside))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in SLURM:
            raise UsageError(
                f'--cluster {text}: no key "{key}"{did_you_mean(key, SLURM)}; there are {", ".join(SLURM)}'
            )
        form, example, _ = SLURM[key]
        if not equals or not re.fullmatch(form, value):
            raise UsageError(f'--cluster {text}: {key} cannot be "{value}"; write for example {key}={example}')
        if key in seen:
            raise UsageError(f"--cluster {text}: {key} is given twice; give it once")
        seen.add(key)
        values[key] = value
    return values


def job_script(wanted: Wanted) -> str:
    """The script that Slurm would be given for each job."""
    with _libraries(), _slurm_cluster(wanted) as found:
        return str(found.job_script())


def _slurm_cluster(wanted: Wanted) -> Any:
    """Dask's side of Slurm, without a job yet. A worker a core: simulations are programs of one thread."""
    from dask_jobqueue import SLURMCluster

    v = wanted.values
    logs = paths.cache_dir() / "log"
    logs.mkdir(parents=True, exist_ok=True)  # Slurm makes no folder
    environment = [f"export PYTHONPATH={shlex.quote(str(paths.ROOT / 'python'))}${{PYTHONPATH:+:$PYTHONPATH}}"]
    if own_simgrid.is_there(paths.ROOT):
        environment.append(f"export PATH={shlex.quote(str(own_simgrid.folder(paths.ROOT) / 'bin'))}:$PATH")
    try:
        return SLURMCluster(
            queue=v["partition"] or None,
            account=v["account"] or None,
            cores=int(v["cores"]),
            processes=int(v["cores"]),
            memory=v["memory"],
            walltime=v["walltime"],
            interface=v["interface"] or None,
            job_script_prologue=environment,
            python=sys.executable,
            log_directory=str(logs),
            job_name="collscope",
            scheduler_options={"dashboard_address": None},
            worker_extra_args=["--no-dashboard"],
        )
    except (ValueError, RuntimeError) as error:  # of the interface: Dask looks for it here, too
        raise UsageError(f"--cluster: slurm: {error}") from error


@contextlib.contextmanager
def _libraries() -> Iterator[None]:
    """Makes Dask ready to be imported and quiet. UserError: it is missing and cannot be installed."""
    try:
        import dask
        import dask_jobqueue  # noqa: F401
        import distributed  # noqa: F401
    except ImportError:
        try:
            machine.ensure_python(paths.ROOT, EXTRA)
        except SetupError as error:
            raise UserError(f"--cluster: {error}") from error
        import importlib

        importlib.invalidate_caches()
        import dask

    settings = {
        "distributed.scheduler.allowed-failures": DEATHS,
        "distributed.worker.memory.terminate": False,  # the programs that simulate are not the worker's own memory
        "distributed.worker.memory.pause": False,
    }
    logger = logging.getLogger("distributed")
    level = logger.level
    with dask.config.set(settings):
        logger.setLevel(logging.CRITICAL)  # a worker that dies is no news: its work is done by another
        try:
            yield
        finally:
            logger.setLevel(level)


class Lost(Exception):
    """So many workers died at a piece of work that it is given up."""


@dataclass
class Cluster:
    """Workers that answer. `call` may be used again and again until the cluster is closed."""

    client: Any
    workers: int
    _topics: Iterator[int] = field(default_factory=itertools.count)

    def call(
        self,
        function: Callable[..., Any],
        items: Sequence[tuple[Any, ...]],
        told: Callable[[Any], None] = lambda news: None,
    ) -> Iterator[tuple[int, Any]]:
        """(place, function(*item, topic)) as they are finished; what a worker tells by `tell(topic, …)` meanwhile goes to `told`. A result
        is a Lost where too many workers died at it. Errors of the function are raised, and the rest is cancelled."""
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        topic = f"collscope-{next(self._topics)}-{self.client.id}"
        self.client.subscribe_topic(topic, lambda event: told(event[1]))
        places = {
            self.client.submit(function, *item, topic, pure=False): place for place, item in enumerate(items)
        }  # fmt: skip
        try:
            for future in as_completed(list(places), loop=self.client.loop):
                error = future.exception()
                if isinstance(error, KilledWorker):
                    yield places[future], Lost(f"{counted(DEATHS + 1, 'worker')} died at it (of lack of memory?)")
                elif error is not None:
                    raise error
                else:
                    yield places[future], future.result()
        finally:
            with contextlib.suppress(Exception):
                self.client.cancel([future for future in places if not future.done()])
                self.client.unsubscribe_topic(topic)


def tell(topic: str, news: Any) -> None:
    """On a worker: hands news to the one who called, at once."""
    from distributed import get_worker

    get_worker().log_event(topic, news)


@contextlib.contextmanager
def opened(text: str | None) -> Iterator[Cluster | None]:
    """The cluster that `--cluster TEXT` means, until the end; None where nothing was typed. UserError: it cannot be reached."""
    if text is None:
        yield None
        return
    wanted = parse(text)
    if wanted.kind == "slurm" and not shutil.which("sbatch"):
        raise UserError(f"--cluster {text}: sbatch: not found; slurm is for a machine from which Slurm takes jobs")
    with _libraries(), contextlib.ExitStack() as stack:
        from distributed import Client, LocalCluster

        if wanted.kind == "local":
            local = LocalCluster(
                n_workers=wanted.workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
                worker_dashboard_address=None, local_directory=str(stack.enter_context(leftovers.scratch())),
                silence_logs=logging.CRITICAL,
            )  # fmt: skip
            where: Any = stack.enter_context(local)
        elif wanted.kind == "slurm":
            where = stack.enter_context(_slurm_cluster(wanted))
            where.scale(jobs=int(wanted.values["jobs"]))
        else:
            where = wanted.address
        try:
            client = stack.enter_context(Client(where, timeout=ANSWER_S, set_as_default=False))
        except OSError as error:
            raise UserError(
                f"--cluster {text}: no scheduler answers there; start one with .venv/bin/dask scheduler"
            ) from error
        workers = wanted.workers or sum(client.nthreads().values())
        if not workers:
            console.note(f"{text}: no worker yet; start some with .venv/bin/dask worker {text} --nthreads 1")
        yield Cluster(client, max(1, workers))
