"""A plugin of pytest: the name of each failing test in a line of its own, at once; with xdist, by the process that gathers the reports."""

from __future__ import annotations

import pytest


class FailingNames:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)  # behind its letter
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal:
            terminal.ensure_newline()
            writer = self.config.get_terminal_writer()
            if writer.width_of_current_line:  # letters
                writer.line()
            writer.line(f"failed: {report.nodeid}" + f" ({report.when})" * (report.when != "call"))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailingNames(config))
