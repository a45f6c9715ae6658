"""Work on other machines, by Dask: what `--cluster` says, and the workers that it means.

Dask is imported when a cluster is opened, and installed then where it is missing.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collscope.base import console, leftovers, paths
from collscope.base.errors import UsageError, UserError, did_you_mean
from collscope.base.units import counted
from collscope.setup import machine, own_simgrid
from collscope.setup.steps import SetupError

EXTRA = "cluster"  # of pyproject.toml: the libraries
# Form → the libraries that it needs.
LIBRARIES = {
    "local": ("dask", "distributed", "cryptography"),
    "scheduler": ("dask", "distributed"),
    "slurm": ("dask", "distributed", "cryptography", "dask_jobqueue"),
}
FORMS = "local:N, tcp://HOST:PORT, tls://HOST:PORT or slurm[partition=…]"
MAX_WORKERS = 4096
DEATHS = 3  # of workers that one piece of work outlives
GREETING_S = 2.0  # that a scheduler has to accept a connection and greet in
MAX_GREETING = 1 << 20  # bytes of a greeting; another server's first bytes mean more
ANSWER_S = 20.0  # that a scheduler has to answer in
# Dask's web pages ask nobody who they are: they are left out. A port for them is opened all the same: any one, of this machine alone.
NO_PAGES = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
NO_ROUTES: dict[str, object] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
OPEN = (
    "{address} asks nobody who they are: whoever reaches this scheduler can run programs as its owner. Keep it in a network of your "
    "own, or start scheduler and workers with certificates, and give tls://HOST:PORT"
)
# Of slurm[…]: key → what its value looks like, an example of it, and its default.
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
class ClusterSpec:
    """A cluster as typed: `kind` is a key of LIBRARIES; how many workers; the scheduler's address, or Slurm's values."""

    kind: str
    workers: int = 0  # 0: as many as there are
    address: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


def parse(text: str) -> ClusterSpec:
    """What `--cluster TEXT` wants. UsageError: what is wrong in it, and what to write."""
    kind, bracket, rest = text.strip().partition("[")
    if kind == "slurm" and (not bracket or rest.endswith("]")):
        values = _slurm(text, rest.removesuffix("]"))
        return ClusterSpec("slurm", int(values["jobs"]) * int(values["cores"]), values=values)
    if found := re.fullmatch(r"local:([0-9]{1,6})", text.strip()):
        if not 1 <= int(found[1]) <= MAX_WORKERS:
            raise UsageError(f"--cluster {text}: a number of workers is 1 to {MAX_WORKERS}")
        return ClusterSpec("local", int(found[1]))
    if found := re.fullmatch(r"(?:tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):([0-9]{1,5})", text.strip()):
        if not 1 <= int(found[2]) <= 65535:
            raise UsageError(f"--cluster {text}: a port is 1 to 65535")
        return ClusterSpec("scheduler", address=text.strip())
    raise UsageError(f"--cluster {text}: is none of {FORMS}{did_you_mean(kind, ('slurm', 'local:2'))}")


def _slurm(text: str, inside: str) -> dict[str, str]:
    values = {key: default for key, (_, _, default) in SLURM.items()}
    given = set()
    for part in filter(None, (p.strip() for p in re.split(r",(?=[^=,]*=)", inside))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in SLURM:
            raise UsageError(
                f'--cluster {text}: no key "{key}"{did_you_mean(key, SLURM)}; there are {", ".join(SLURM)}'
            )
        form, example, _ = SLURM[key]
        if not equals or not re.fullmatch(form, value):
            raise UsageError(f'--cluster {text}: {key} cannot be "{value}"; write for example {key}={example}')
        if key in given:
            raise UsageError(f"--cluster {text}: {key} is given twice; give it once")
        given.add(key)
        values[key] = value
    return values


def job_script(spec: ClusterSpec) -> str:
    """The script that Slurm would be given for each job."""
    with _libraries(spec.kind), _slurm_cluster(spec) as found:
        return str(found.job_script())


@contextlib.contextmanager
def _slurm_cluster(spec: ClusterSpec) -> Iterator[Any]:
    """Dask's side of Slurm, without a job yet. A worker a core: simulations are programs of one thread."""
    from distributed.security import Security

    class Jobs(_slurm_class()):  # type: ignore[misc]
        """Its workers read the places of their keys from their environment: Dask would write them unquoted into a command."""

        def _get_worker_security(self, security: Security) -> None:
            """None: no options for the worker's command."""

    v = spec.values
    logs = paths.make_dir(paths.CACHE / "log")  # Slurm makes no folder
    search = own_simgrid.is_there(paths.ROOT)
    with leftovers.scratch(paths.cache_dir()) as folder, contextlib.ExitStack() as stack:
        security = Security.temporary()
        prologue = [
            f"export PYTHONPATH={shlex.quote(str(paths.ROOT / 'python'))}${{PYTHONPATH:+:$PYTHONPATH}}",
            *([f"export PATH={shlex.quote(str(own_simgrid.folder(paths.ROOT) / 'bin'))}:$PATH"] if search else []),
            *(f"export {key}={shlex.quote(value)}" for key, value in _worker_keys(security, folder).items()),
        ]
        try:
            made = Jobs(
                queue=v["partition"] or None,
                account=v["account"] or None,
                cores=int(v["cores"]),
                processes=int(v["cores"]),
                memory=v["memory"],
                walltime=v["walltime"],
                interface=v["interface"] or None,
                security=security,
                job_script_prologue=prologue,
                job_extra_directives=[
                    f"-{name[0]} {shlex.quote(str(logs))}/collscope-%J.{name}" for name in ("err", "out")
                ],
                python=shlex.quote(sys.executable),
                job_name="collscope",
                scheduler_options=NO_PAGES,
                worker_extra_args=["--no-dashboard"],
            )
        except (ValueError, RuntimeError) as error:  # of the interface: Dask looks for it here, too
            raise UsageError(f"--cluster: slurm: {error}") from error
        yield stack.enter_context(made)


def _slurm_class() -> Any:
    """Dask's class of clusters of Slurm's jobs. Importing its library replaces the handler of Ctrl-C by one that exits with status 0."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        from dask_jobqueue import SLURMCluster
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
    return SLURMCluster


def _worker_keys(security: Any, folder: Path) -> dict[str, str]:
    """Writes the run's certificate and key into files that their owner alone can read; the settings by which Dask's workers find them."""
    settings = {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True", "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES": "[]"}
    for role, name in (("ca_file", "CA_FILE"), ("cert", "WORKER__CERT"), ("key", "WORKER__KEY")):
        path = folder / f"{role}.pem"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(security.get_tls_config_for_role("worker")[role])
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{name}"] = str(path)
    return settings


@contextlib.contextmanager
def _libraries(kind: str) -> Iterator[None]:
    """Imports Dask, quiet and with our settings. UserError: it is missing and cannot be installed."""
    if any(importlib.util.find_spec(name) is None for name in LIBRARIES[kind]):
        try:
            machine.ensure_python(paths.ROOT, EXTRA)
        except SetupError as error:
            raise UserError(f"--cluster: {error}") from error
        importlib.invalidate_caches()
    import dask
    import distributed  # noqa: F401  # before our settings: where it adds its own defaults to them, both go together at the end

    settings = NO_ROUTES | {
        "distributed.scheduler.allowed-failures": DEATHS,
        "distributed.worker.memory.terminate": False,  # the programs that simulate are not the worker's own memory
        "distributed.worker.memory.pause": False,
    }
    logger = logging.getLogger("distributed")
    level = logger.level
    with dask.config.set(settings):
        logger.setLevel(logging.CRITICAL)  # a worker that dies is not reported: its work is done by another
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
        on_news: Callable[[Any], None] = lambda news: None,
    ) -> Iterator[tuple[int, Any]]:
        """(place, function(*item, topic)) as they are finished; what a worker tells by `tell(topic, …)` meanwhile goes to `on_news`. A
        result is a Lost where too many workers died at it. Errors of the function are raised, and the rest is cancelled."""
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        topic = f"collscope-{next(self._topics)}-{self.client.id}"
        self.client.subscribe_topic(topic, lambda event: on_news(event[1]))
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
    spec = parse(text)
    if spec.kind == "slurm" and not shutil.which("sbatch"):
        raise UserError(f"--cluster {text}: sbatch: not found; slurm is for a machine from which Slurm takes jobs")
    if spec.kind == "scheduler":
        _reach(spec.address, text)
    with _libraries(spec.kind), contextlib.ExitStack() as stack:
        from distributed import Client

        if spec.kind == "local":
            where: Any = stack.enter_context(_local_cluster(spec.workers))
        elif spec.kind == "slurm":
            where = stack.enter_context(_slurm_cluster(spec))
            where.scale(jobs=int(spec.values["jobs"]))
        else:
            where = spec.address
            _check_certificate(text)
        try:
            client = stack.enter_context(Client(where, timeout=ANSWER_S, set_as_default=False))
        except (OSError, ValueError) as error:
            raise UserError(
                f"--cluster {text}: what answers there is not a Dask scheduler of this version, or refuses us: {error}"
            ) from error
        workers = spec.workers or sum(client.nthreads().values())
        if spec.address.startswith("tcp:"):
            console.note(OPEN.format(address=text))
        if not workers:
            console.note(f"{text}: no worker yet; start some with .venv/bin/dask worker {text} --nthreads 1")
        yield Cluster(client, max(1, workers))


@contextlib.contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """A scheduler and workers on this machine. To give them work takes the certificate of this run, which is kept in memory alone."""
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    leftovers.mark_semaphores()
    with leftovers.scratch() as folder:
        with _without_ctrl_c(), dask.config.set({"temporary-directory": str(folder)}):
            made = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                security=Security.temporary(),
                scheduler_kwargs=NO_PAGES,
                worker_dashboard_address=None,
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
            )
        with made:
            yield made


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """What is started meanwhile never hears Ctrl-C, which a terminal sends to all its processes: we hear it, and end the workers."""
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else the first process that is started starts it, and lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _reach(address: str, text: str) -> None:
    """UserError: no scheduler greets there within GREETING_S. Dask itself would wait for much longer, and try again."""
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=GREETING_S) as server:
            if scheme == "tcp":
                greeting = server.recv(8)  # the length of what follows
                if not 0 < int.from_bytes(greeting, "little") <= MAX_GREETING:
                    raise OSError(0, "another kind of server listens there")
            else:
                _shake_hands(server)
    except OSError as error:
        reason = f"silent for {GREETING_S:g} s" if isinstance(error, TimeoutError) else error.strerror or error
        raise UserError(
            f"--cluster {text}: no Dask scheduler answers there ({reason}); start one with .venv/bin/dask scheduler"
        ) from error


def _check_certificate(text: str) -> None:
    """UserError: a scheduler that asks for a certificate, and Dask's configuration has none."""
    from distributed.security import Security

    if text.strip().startswith("tls:") and not Security().get_connection_args("client")["ssl_context"]:
        raise UserError(
            f"--cluster {text}: Dask's configuration names no certificate; set distributed.comm.tls.ca-file, .client.cert and "
            ".client.key (docs/your_own_study.md)"
        )


def _shake_hands(server: socket.socket) -> None:
    """OSError: the server does not speak TLS. Whom it trusts, and whom we do, is Dask's to find out."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        context.wrap_socket(server).close()
    except ssl.SSLError as error:
        if error.reason in ("WRONG_VERSION_NUMBER", "UNEXPECTED_EOF_WHILE_READING"):
            raise OSError(0, "it does not speak TLS") from error
