"""collscope.sources.cluster: who may give work to the workers that `--cluster` starts, here and by Slurm; and what reaches a scheduler."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.sources import cluster
from collscope.sources.cluster import Cluster, parse

pytest.importorskip("distributed")
if find_spec("dask_jobqueue") is None:  # importing it replaces the handler of Ctrl-C, pytest's own
    pytest.skip("dask_jobqueue is not installed", allow_module_level=True)
security = pytest.importorskip("distributed.security")
pytest.importorskip("cryptography")


@pytest.fixture(scope="module")
def one() -> Iterator[Cluster]:
    with cluster.opened("local:1") as made:
        assert made
        yield made


def address(there: Cluster) -> tuple[str, int]:
    host, port = there.client.scheduler.address.removeprefix("tls://").rsplit(":", 1)
    return host, int(port)


def is_answered(there: Cluster, context: ssl.SSLContext | None) -> bool:
    """Whether a scheduler sends its greeting to a stranger."""
    with socket.create_connection(address(there)) as raw:
        try:
            with context.wrap_socket(raw) if context else contextlib.nullcontext(raw) as connection:
                connection.sendall(b"\0" * 64)
                return bool(connection.recv(1))
        except (ssl.SSLError, ConnectionError):
            return False


def stranger(certificate: Any = None) -> ssl.SSLContext:
    """A client that trusts everybody, with this certificate."""
    context = certificate.get_connection_args("client")["ssl_context"] if certificate else ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context  # type: ignore[no-any-return]


def test_a_client_without_the_certificate_of_the_run_is_refused(one: Cluster) -> None:
    assert one.client.submit(sum, [1, 2]).result() == 3
    assert is_answered(one, stranger(one.client.security)), "who has it is answered"
    assert not is_answered(one, None), "plain TCP"
    assert not is_answered(one, stranger()), "TLS without a certificate"
    assert not is_answered(one, stranger(security.Security.temporary())), "that of another run"
    host, _ = address(one)
    port = one.client.cluster.scheduler.http_server.port
    with pytest.raises(HTTPError, match="404"), urlopen(f"http://{host}:{port}/json/counts.json"):
        pass
    (worker,) = one.client.scheduler_info()["workers"]
    assert worker.startswith("tls://127.0.0.1:")


def test_workers_never_hear_ctrl_c_and_we_do(one: Cluster) -> None:
    blocked = one.client.submit(lambda: signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])).result()
    assert blocked and signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_opening_a_cluster_leaves_the_handler_of_ctrl_c_alone() -> None:
    """dask_jobqueue replaces it when it is imported."""
    program = (
        "import signal\nfrom collscope.sources import cluster\nbefore = signal.getsignal(signal.SIGINT)\n"
        "cluster._slurm_class()\nassert signal.getsignal(signal.SIGINT) is before is signal.default_int_handler\n"
    )
    env = {**os.environ, "PYTHONPATH": str(paths.ROOT / "python")}
    # A shell that starts us in the background may have us ignore it.
    subprocess.run([sys.executable, "-c", program], env=env, check=True, preexec_fn=hears_ctrl_c)


def hears_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


SBATCH = """#!/bin/sh
for script; do :; done
cp "$script" "{folder}/script"
setsid sh "{folder}/script" >"{folder}/job.txt" 2>&1 &
echo "Submitted batch job $!"
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Slurm that starts jobs on this machine; all that is ours lies below a folder whose name has a space and a quote."""
    folder, programs = tmp_path / "it's a folder", tmp_path / "bin"
    python = folder / "python 3"
    for made in (folder, programs):
        made.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "sbatch").write_text(SBATCH.format(folder=tmp_path))
    (programs / "scancel").write_text('#!/bin/sh\nkill -- "-$1"\n')
    for program in (python, *programs.iterdir()):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(cluster.sys, "executable", str(python))
    monkeypatch.setattr(paths, "CACHE", folder / ".cache")
    return folder


def test_a_job_of_slurm_has_the_run_s_keys_from_files_of_its_owner_alone(slurm: Path) -> None:
    with cluster.opened("slurm[jobs=1,cores=1,interface=lo]") as there:
        assert there and there.workers == 1
        assert there.client.submit(sum, [1, 2]).result(timeout=120) == 3
        assert not is_answered(there, stranger())
        (folder,) = (slurm / ".cache").glob("collscope-*")
        keys = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.glob("*.pem")}
        assert keys == {"ca_file.pem": 0o600, "cert.pem": 0o600, "key.pem": 0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        script = (slurm.parent / "script").read_text()
        assert "PRIVATE KEY" not in script
    assert not folder.exists()


def test_slurm_gets_a_job_s_logs_in_the_cache_and_what_was_typed(slurm: Path) -> None:
    text = "slurm[partition=compute,account=physics,jobs=2,cores=4,memory=8GiB,walltime=01:30:00,interface=lo]"
    lines = cluster.job_script(parse(text)).splitlines()
    directives = {line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH ")}
    logs = "'" + str(slurm / ".cache" / "log").replace("'", "'\"'\"'") + "'/collscope-%J"
    assert directives >= {
        "-J collscope", "-p compute", "-A physics", "-n 1", "--cpus-per-task=4", "--mem=8G", "-t 01:30:00",
        f"-e {logs}.err", f"-o {logs}.out",
    }  # fmt: skip
    assert (slurm / ".cache" / "log").is_dir()
    assert all(words in lines[-1] for words in ("--nthreads 1 ", "--nworkers 4 ", "--interface lo", "--protocol tls"))


def test_an_own_simgrid_is_found_by_jobs(slurm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster.own_simgrid, "is_there", lambda root: True)
    lines = cluster.job_script(parse("slurm[interface=lo]")).splitlines()
    assert f"export PATH={paths.ROOT / '.cache' / 'simgrid' / 'bin'}:$PATH" in lines
    assert f"export PYTHONPATH={paths.ROOT / 'python'}${{PYTHONPATH:+:$PYTHONPATH}}" in lines


def test_an_open_scheduler_is_used_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=0,
        threads_per_worker=3,
        host="127.0.0.1",
        dashboard_address=":0",
        processes=False,
        protocol="tcp://",
    ) as there:
        with cluster.opened(there.scheduler_address) as found:
            assert found and found.workers == 1
        warning = capsys.readouterr().err
        assert (
            "whoever reaches this scheduler can run programs as its owner" in warning and "tls://HOST:PORT" in warning
        )
        assert "no worker yet; start some with .venv/bin/dask worker tcp://127.0.0.1" in warning
        there.scale(1)
        there.wait_for_workers(1)
        with cluster.opened(there.scheduler_address) as found:
            assert found and found.workers == 3, "a simulation for each thread"
    with cluster.opened(None) as nobody:
        assert nobody is None


@pytest.mark.parametrize(
    ("greeting", "scheme", "reason"),
    [
        (b"", "tcp", "another kind of server listens there"),
        (b"HTTP/1.1 400 Bad Request", "tcp", "another kind of server listens there"),
        (b"HTTP/1.1 400 Bad Request", "tls", "it does not speak TLS"),
        (None, "tcp", "silent for 0.1 s"),
        (None, "tls", "silent for 0.1 s"),
    ],
)
def test_a_server_that_is_not_a_scheduler_is_an_error(
    monkeypatch: pytest.MonkeyPatch, greeting: bytes | None, scheme: str, reason: str
) -> None:
    """It greets with something else and closes, or is silent; Dask's own patience is not tried."""
    monkeypatch.setattr(cluster, "GREETING_S", 0.1 if greeting is None else 60.0)
    monkeypatch.setattr("distributed.Client", None)
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as silent:

        def greet_all() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection = listener.accept()[0]
                    if greeting is None:
                        silent.callback(connection.close)
                        continue
                    connection.sendall(greeting)
                    connection.close()

        threading.Thread(target=greet_all, daemon=True).start()
        text = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"
        message = f"^--cluster {text}: no Dask scheduler answers there \\({reason}\\); start one"
        with pytest.raises(UserError, match=message), cluster.opened(text):
            pass
        listener.shutdown(socket.SHUT_RDWR)


def test_a_scheduler_with_tls_needs_a_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_reach", lambda *_: None)
    message = "Dask's configuration names no certificate; set distributed.comm.tls.ca-file"
    with pytest.raises(UserError, match=message), cluster.opened("tls://127.0.0.1:1"):
        pass


def test_libraries_that_are_missing_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[tuple[object, ...]] = []
    monkeypatch.setitem(sys.modules, "cryptography", None)  # as if it were not there
    monkeypatch.setattr(cluster.machine, "ensure_python", lambda *words: installed.append(words))
    with cluster._libraries("scheduler"):
        assert not installed, "a scheduler of somebody else needs no certificate of ours"
    for kind in ("local", "slurm"):
        with cluster._libraries(kind):
            pass
    assert installed == [(paths.ROOT, "cluster")] * 2

    def fail(*_: object) -> None:
        raise cluster.SetupError("no network")

    monkeypatch.setattr(cluster.machine, "ensure_python", fail)
    with pytest.raises(UserError, match="^--cluster: no network$"), cluster._libraries("local"):
        pass
