"""What becomes of errors: every one is one clear message on standard error and an exit status, and a signal ends children too."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator

import click

from collscope.base import console
from collscope.base.errors import UserError, disk_error

# Options of mpirun, srun and the benchmarks, and ours for the same.
FOREIGN = {
    "--np": "--ranks",
    "-np": "--ranks",
    "-n": "--ranks",
    "--ntasks": "--ranks",
    "--nprocs": "--ranks",
    "-N": "--nodes",
    "--ppn": "--ranks-per-node",
    "--npernode": "--ranks-per-node",
    "--ntasks-per-node": "--ranks-per-node",
    "--size": "--bytes",
    "--sizes": "--bytes",
    "--message-size": "--bytes",
    "-m": "--bytes",
    "--platform": "--on",
    "--machine": "--on",
    "--hostfile": "--hosts",
    "--host": "--hosts",
    "--iterations": "--repetitions",
    "-i": "--repetitions",
    "--algorithm": "--algorithms",
    "--map-by": "--mapping",
    "--output": "--out",
    "-o": "--out",
}


def _suggested(error: click.NoSuchOption) -> click.NoSuchOption:
    """The same error; where the option is another program's, with ours for it in place of those that are spelt alike."""
    has = {o for p in error.ctx.command.params for o in (*p.opts, *p.secondary_opts)} if error.ctx else set()
    ours = FOREIGN.get(error.option_name)
    if ours not in has:
        return error
    message = f"No such option '{error.option_name}'. Did you mean '{ours}'?"
    return click.NoSuchOption(error.option_name, message, ctx=error.ctx)


@contextlib.contextmanager
def reported() -> Iterator[None]:
    """Runs a command; what it raises ends the process: 2 for requests that cannot be met, 1 for all else."""
    try:
        with _signals_stop():
            yield
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)  # `./collscope` alone: the help, and click's status
        sys.exit(2)
    except click.UsageError as error:
        if isinstance(error, click.NoSuchOption):
            error = _suggested(error)
        where = error.ctx.command_path.replace("collscope", "./collscope", 1) if error.ctx else "./collscope"
        console.complain(f"{error.format_message()}\n  {where} --help says more")
        sys.exit(2)
    except click.ClickException as error:
        console.complain(error.format_message())
        sys.exit(1)
    except UserError as error:
        console.complain(str(error))
        sys.exit(error.exit_status)
    except (KeyboardInterrupt, click.Abort):
        console.complain(console.stopped())
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has left: not our failure, and nothing more to say to it.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        console.complain(str(disk_error(error, error.filename or "writing")))
        sys.exit(1)
    except MemoryError:
        console.complain("out of memory; use fewer --jobs, or smaller sizes")
        sys.exit(1)


@contextlib.contextmanager
def _signals_stop() -> Iterator[None]:
    """Makes the wish to end (kill, a batch system, a terminal that is closed) the same way out as Ctrl-C: children run in
    sessions of their own and would outlive us."""

    here = os.getpid()

    def stop(*_: object) -> None:
        if os.getpid() != here:
            os._exit(1)  # a forked worker, whose pool ends it so
        for number in found:
            signal.signal(number, signal.SIG_IGN)  # once is enough: the way out is not to be interrupted
        raise KeyboardInterrupt

    found = {}
    if threading.current_thread() is threading.main_thread():
        # What is ignored stays so: nohup.
        found = {n: h for n in (signal.SIGTERM, signal.SIGHUP) if (h := signal.getsignal(n)) != signal.SIG_IGN}
    for number in found:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in found.items():
            signal.signal(number, handler)
