"""Tells of a failure as it comes: a run that is cut short has then told of those before."""

import pytest


class FailuresAtOnce:
    """Writes each failed test's report; under xdist, in the process that shares tests out."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._reporter.ensure_newline()
            self._reporter.write_line(f"{report.nodeid} failed in its {report.when}:", red=True)
            self._reporter.write_line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        config.pluginmanager.register(FailuresAtOnce(reporter))
