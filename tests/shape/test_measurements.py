"""Every measurement releases by one function of columns and noise, and an audit line runs it."""

from collections.abc import Iterator
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

import pytest

import leeward.core.mechanisms
from leeward.core.mechanisms.measurement import Measurement, Recordable
from leeward.lab.audit.audit_line import ONE, TableLine
from leeward.lab.audit.lines import LINES
from leeward.lab.audit.neighbours import QUICK
from leeward.lab.audit.recording import RecordingNoise
from leeward.lab.audit.released_code import RELEASED_CODE

HOMES = [import_module(f"leeward.core.mechanisms.{one.name}")
         for one in iter_modules(leeward.core.mechanisms.__path__)]  # fmt: skip


class Ran(Exception):
    """A measurement was run."""


def classes() -> Iterator[type]:
    """All classes of the room."""
    for home in HOMES:
        for one in vars(home).values():
            if isinstance(one, type) and one.__module__ == home.__name__:
                yield one


def measurements() -> list[type[Recordable]]:
    """All that a table may be measured by."""
    return [one for one in classes() if issubclass(one, Recordable) and not isabstract(one)]


def run_by_lines(monkeypatch: pytest.MonkeyPatch) -> set[type]:
    """The measurements that a line of tables or of released code runs with recording noise."""
    recorded = set()

    def ended(made: Recordable, _: object, noise: object) -> None:
        if isinstance(noise, RecordingNoise):
            recorded.add(type(made))
        raise Ran

    for one in measurements():
        monkeypatch.setattr(one, "_measure", ended)
    for line in LINES:
        if isinstance(line, TableLine) or RELEASED_CODE in getattr(line, "detail", ""):
            with pytest.raises(Ran):
                list(line.rows(ONE, QUICK))
    return recorded


def test_only_the_base_of_all_measurements_releases() -> None:
    assert {one for one in classes() if "measure" in vars(one)} == {Measurement, Recordable}


def test_whatever_measures_a_table_can_be_recorded() -> None:
    tables = [one for one in classes() if hasattr(one, "margin_columns") and one is not Measurement]
    assert len(tables) >= 9
    assert [one for one in tables if not issubclass(one, Recordable)] == []


def test_an_audit_line_runs_every_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(measurements()) - run_by_lines(monkeypatch) == set()
