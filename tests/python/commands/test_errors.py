"""collscope.commands.errors: what becomes of errors: one message, and an exit status."""

from __future__ import annotations

import errno
import os
import signal

import click
import pytest

from collscope.base.errors import UsageError, UserError
from collscope.commands import errors
from collscope.commands.cli import cli
from command_line import call

CONTEXT = click.Context(click.Command("run"), info_name="collscope")


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (click.exceptions.Exit(3), 3, ""),
        (click.UsageError("no such option"), 2, "no such option\n  ./collscope --help says more"),
        (click.UsageError("twice", click.Context(click.Command("run"), CONTEXT, "run collscope")), 2,
         "twice\n  ./collscope run collscope --help says more"),
        (click.ClickException("odd"), 1, "odd"),
        (UserError("it failed"), 1, "it failed"),
        (UsageError("not so"), 2, "not so"),
        (KeyboardInterrupt(), 1, "stopped"),
        (click.Abort(), 1, "stopped"),
        (PermissionError(errno.EACCES, "Permission denied", "t.csv"), 1, "t.csv: Permission denied"),
        (OSError(errno.ENOSPC, "No space"), 1,
         "writing: the disk is full; free some space and repeat the command (finished points are kept)"),
        (MemoryError(), 1, "out of memory; use fewer --jobs, or smaller sizes"),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, BaseException) else "",
)  # fmt: skip
def test_every_error_is_one_message_and_a_status(
    capsys: pytest.CaptureFixture[str], error: BaseException, status: int, says: str
) -> None:
    with pytest.raises(SystemExit) as end, errors.reported():
        raise error
    assert end.value.code == status
    assert capsys.readouterr() == ("", f"collscope: {says}\n" if says else "")


def test_an_error_that_is_not_the_users_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), errors.reported():
        raise ZeroDivisionError


def test_signals_end_a_command_once_and_are_as_before_afterwards() -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        with pytest.raises(KeyboardInterrupt), errors._signals_stop():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN, "the way out is not to be interrupted"
        assert [signal.getsignal(number) for number in numbers] == [signal.SIG_DFL, signal.SIG_IGN]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "--np", "4"), "Did you mean '--ranks'?"),
        (("run", "-n", "4"), "Did you mean '--ranks'?"),
        (("run", "--size", "4"), "Did you mean '--bytes'?"),
        (("run", "--ntasks-per-node", "4"), "Did you mean '--ranks-per-node'?"),
        (("run", "--rank", "4"), "--ranks"),  # spelt alike
        (("claims", "-n", "4"), "No such option '-n'.\n"),  # it has no ranks
    ],
)
def test_options_of_other_programs_are_answered_with_ours(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    status, _, err = call(capsys, *words)
    assert status == 2 and says in err, err


def test_every_answer_is_an_option_of_some_command() -> None:
    context = click.Context(cli)
    options = {
        name
        for command in map(cli.get_command, [context] * len(cli.list_commands(context)), cli.list_commands(context))
        if command
        for parameter in command.params
        for name in parameter.opts
    }
    assert set(errors.FOREIGN.values()) <= options and not set(errors.FOREIGN) & {"--ranks", "--bytes"}
