"""What is skipped is said in one line, or fails under `--no-skips`; what shares a worker."""

from collections.abc import Generator, Iterator
from typing import TypeVar

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped] # has no types

SHARED = ("tests/audit/", "tests/browser/", "tests/engines/spark/")
"""Folders whose files share what is slow to make: an audit, a browser and its page, a Spark."""

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Receipts and their key go to a folder of the tests, not to the home of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test is a failure")


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling:
    """Whole files go to a worker; marks cannot say more, which pytest 9.2 and xdist 3.8 ignore."""
    made = LoadFileScheduling(config, log)
    made._split_scope = unit
    return made


def unit(name: str) -> str:
    """What a test goes to a worker with: its file, or its folder where that shares."""
    return next((folder for folder in SHARED if name.startswith(folder)), name.partition("::")[0])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return judged((yield), item.config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return judged((yield), collector.config)


def judged(report: Report, config: pytest.Config) -> Report:
    """The report, failed if it is a skip that is not allowed; an expected failure is no skip."""
    if report.skipped and config.getoption("--no-skips") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"--no-skips: {report.longreprtext}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if skipped := terminalreporter.stats.get("skipped", []):
        spark = any("no Java for Spark" in one.longreprtext for one in skipped)
        why = " (the Spark tests: there is no Java)" if spark else ""
        remedy = "`make system-deps` (as root) enables them"
        terminalreporter.write_line(f"{len(skipped)} skipped{why}: {remedy}")
