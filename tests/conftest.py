"""Which tests are slow, which share a worker, and what becomes of a skipped test."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped] # has no types

pytest_plugins = ("tests.browser.chromium",)

# How long an example takes says nothing on a machine that runs other tests beside it.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# `make audit` tries more examples.
settings.register_profile("long", settings.get_profile("busy"), max_examples=2000)
settings.load_profile("busy")

SHARED = (
    ("tests/publishing/engines/spark/",),
    ("tests/browser/", "tests/matrix/"),
    (
        "tests/lab/audit/test_document.py",
        "tests/lab/audit/test_promises.py",
        "tests/lab/audit/test_table.py",
    ),
)
"""Tests that share what is slow to make: a Spark session; a browser and its page; an audit.

Each tuple holds the beginnings of paths, and goes to one worker.
"""

SLOW = (
    *(start for group in SHARED for start in group),
    # Processes that are killed, interrupted or many at a time, and whole releases in their own.
    "tests/publishing/release/test_crash_",
    "tests/publishing/release/test_hammer.py",
    "tests/publishing/release/test_interrupt.py",
    "tests/publishing/release/test_allowance.py",
    "tests/publishing/release/test_neighbours.py",
    "tests/publishing/release/test_order.py",
    "tests/publishing/release/test_receipt.py",
    "tests/publishing/release/test_total.py",
    "tests/publishing/release/test_withdraw.py",
    "tests/publishing/ledger/test_processes.py",
    "tests/publishing/bundle/test_failures.py",
    "tests/lab/evaluate/test_pool.py",
    "tests/publishing/engines/test_spill.py",
    # A PostgreSQL server.
    "tests/publishing/release/test_postgres.py",
    "tests/publishing/engines/test_postgres.py",
    "tests/publishing/engines/test_collations.py",
    "tests/publishing/engines/test_digest.py",
    "tests/publishing/engines/test_places.py",
    # Whole commands, and pages beside them.
    "tests/docs/test_pages.py",
    "tests/interface/commands/test_bad_data.py",
    "tests/interface/commands/test_bad_folders.py",
    "tests/interface/commands/test_bad_ledgers.py",
    "tests/interface/commands/test_bad_rows.py",
    "tests/interface/commands/test_check_and_release.py",
    "tests/interface/commands/test_evaluate_command.py",
    "tests/interface/commands/test_init_command.py",
    "tests/interface/commands/test_ledger_command.py",
    "tests/interface/commands/test_plan_command.py",
    "tests/interface/commands/test_verify_command.py",
    "tests/shape/test_rooms.py",
    "tests/shape/test_toy.py",
    "tests/interface/commands/test_streams.py",
    "tests/interface/report/test_command.py",
    "tests/interface/web/test_command.py",
    "tests/interface/web/test_connections.py",
    "tests/interface/web/test_plan.py",
    # Whole searches, pages and releases in this process.
    "tests/golden/",
    "tests/publishing/plan/test_target.py",
    "tests/core/privacy/test_steps.py",
    "tests/interface/web/test_hostile.py",
    "tests/interface/web/test_plan_guidance.py",
    "tests/interface/web/test_releases_hostile.py",
    "tests/interface/web/test_saving.py",
    # Exact distributions of whole mechanisms, and millions of draws.
    "tests/lab/audit/test_brute_force.py",
    "tests/lab/audit/test_clipped_exam.py",
    "tests/lab/audit/test_notices.py",
    "tests/core/mechanisms/test_clipped.py",
    "tests/core/mechanisms/test_measures.py",
    "tests/core/mechanisms/test_properties.py",
    "tests/core/mechanisms/test_scale.py",
    "tests/lab/audit/test_report_exam.py",
    "tests/core/noise/test_fast_path.py",
    "tests/core/noise/test_independence.py",
    "tests/core/noise/test_samplers.py",
    # Databases, made-up economies and pictures, many times.
    "tests/publishing/engines/test_findings.py",
    "tests/publishing/engines/test_long_lists.py",
    "tests/publishing/engines/test_numbers.py",
    "tests/publishing/engines/test_one_row.py",
    "tests/publishing/engines/test_owners.py",
    "tests/publishing/engines/test_tables.py",
    "tests/publishing/engines/test_tidying.py",
    "tests/publishing/engines/test_wages.py",
    "tests/publishing/engines/test_without_pandas.py",
    "tests/publishing/bundle/test_reader.py",
    "tests/lab/economy/",
    "tests/lab/evaluate/test_figures.py",
    "tests/lab/evaluate/test_orderings.py",
    "tests/lab/evaluate/test_truth.py",
    "tests/docs/test_performance.py",
)
"""Where the tests marked `slow` are, as beginnings of paths: `make test-quick` leaves them out.

A whole run begins with them, in this order.
"""

QUICK = "not slow"

LACKING = ("no Chromium", "no Java for Spark", "no PostgreSQL")
"""Why tests are skipped that need a program of the system."""

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Receipts and their key go to a folder of the tests, not to the home of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test is a failure")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling:
    """Whole files go to a worker; marks cannot say more, which pytest 9.2 and xdist 3.8 ignore."""
    made = LoadFileScheduling(config, log)
    made._split_scope = unit
    return made


def unit(name: str) -> str:
    """What a test goes to a worker with: its file, or the first of those that it shares with."""
    file = name.partition("::")[0]
    return next((group[0] for group in SHARED if file.startswith(group)), file)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes long; `make test-quick` leaves it out")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests, and begin with them: a worker that gets one last works on alone."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker("slow")
    items.sort(key=lambda item: place(item.nodeid))


def place(name: str) -> int:
    """Where a test's unit comes in the queue: in the order of SLOW, then all others."""
    first = unit(name)
    return next((n for n, start in enumerate(SLOW) if first.startswith(start)), len(SLOW))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """In a quick run a slow file is not even imported."""
    quick = config.getoption("markexpr") == QUICK
    inside = collection_path.is_relative_to(config.rootpath)
    if not (quick and inside and collection_path.is_file()):
        return None
    return str(collection_path.relative_to(config.rootpath)).startswith(SLOW) or None


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
        found = [one for one in LACKING if any(one in this.longreprtext for this in skipped)]
        why = f" ({', '.join(found)})" if found else ""
        remedy = "`make system-deps` (as root) enables them"
        terminalreporter.write_line(f"{len(skipped)} skipped{why}: {remedy}")
