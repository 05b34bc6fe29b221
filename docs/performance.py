"""Keeps what `make bench-scale` and `make bench-peers` measured, and fills the page from it.

A test compares the tables of the page with what is kept beside it.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import leeward
from benchmarks.growth import fitted, spoken
from benchmarks.peers.outcome import Outcome
from benchmarks.peers.report import Result, markdown
from benchmarks.process import Run
from benchmarks.scale import Measured
from docs.slot import fill, table
from leeward.lab.evaluate.panel_sheet import panel_picture
from leeward.lab.evaluate.panels import (
    BLUE,
    GREY,
    Direction,
    Facet,
    FacetPlot,
    Stroke,
    Trace,
    TracePoint,
)

DOCS = Path(__file__).parent
PAGE = DOCS / "explanation" / "performance.md"
SCALE = DOCS / "explanation" / "performance-scale.json"
PEERS = DOCS / "explanation" / "performance-peers.json"
PICTURES = DOCS / "pictures"
MEASURES = {"seconds": "seconds", "megabytes": "peak memory in MB"}
"""What a picture shows, and the name of its axis."""

MEASURED_BY = "leeward_worker"
"""The contender to which all others are compared: it promises what they promise."""

Kept = Mapping[str, Any]


def keep(built: Path) -> None:
    """Take what was measured last."""
    for kept in (SCALE, PEERS):
        found = built / kept.name.removeprefix("performance-")
        if found.exists():
            shutil.copy(found, kept)


def read(path: Path) -> Kept:
    """What is kept."""
    kept: Kept = json.loads(path.read_text(encoding="utf-8"))
    return kept


def machine_line(kept: Kept) -> str:
    """What it was measured on, and whether the version was another one."""
    told = dict(kept["machine"])
    where = f"{told.pop('cores')} cores ({told.pop('processor')}), {told.pop('memory')} of memory"
    line = f"Measured on {where}; {', '.join(f'{name} {value}' for name, value in told.items())}."
    if told["Leeward"] == leeward.__version__:
        return line
    return (
        f"{line} Version {leeward.__version__} was not measured at this size: "
        "`make bench-scale` measures yours, `make bench` the ratios at a small size."
    )


def _numbers(one: Kept) -> tuple[str, ...]:
    query, release = one["query"], one["release"]
    return (
        f"{one['rows']:,}",
        f"{query['seconds']:,.1f}",
        f"{release['seconds']:,.1f}",
        f"{release['seconds'] / query['seconds']:.2f}",
        f"{query['megabytes']:,.0f}",
        f"{release['megabytes']:,.0f}",
    )


HEAD = ("rows", "query, s", "release, s", "ratio", "query, MB", "release, MB")


def nation_table(kept: Kept) -> str:
    """The largest economy, each table alone and all in one plan."""
    largest = max(one["jobs"] for one in kept["measured"])
    by = {name: " × ".join(names) for name, names in kept["tables"].items()}
    rows = [
        (by.get(one["table"], "all three in one plan"), *_numbers(one))
        for one in kept["measured"]
        if one["jobs"] == largest
    ]
    return table(("table", *HEAD), rows)


def beside_lines(kept: Kept) -> str:
    """Making the economies and validating their rows."""
    rows = [
        (
            f"{int(jobs):,}",
            *(
                text
                for part in ("economy", "check")
                for text in (f"{one[part]['seconds']:,.1f}", f"{one[part]['megabytes']:,.0f}")
            ),
        )
        for jobs, one in kept["beside"].items()
    ]
    head = ("jobs", "`leeward economy`, s", "MB", "`leeward check`, s", "MB")
    return table(head, rows)


def curve_table(kept: Kept) -> str:
    """Every table of every economy."""
    rows = [
        (f"{one['jobs']:,}", one["table"], *_numbers(one))
        for one in kept["measured"]
        if one["table"] in kept["tables"]
    ]
    return table(("jobs", "table", *HEAD), rows)


def fit_lines(kept: Kept) -> str:
    """How time grows."""
    alone = [_measured(one) for one in kept["measured"] if one["table"] in kept["tables"]]
    fits = {
        "query": fitted([one.cost(one.query) for one in alone]),
        "release": fitted([one.cost(one.release) for one in alone]),
    }
    return "\n".join(f"* {kind}: {spoken(fit)}" for kind, fit in fits.items())


def _measured(one: Kept) -> Measured:
    return Measured(**{**one, "query": Run(**one["query"]), "release": Run(**one["release"])})


def results(kept: Kept, kind: str) -> list[Result]:
    """The contenders of one tabulation."""
    return [_result(one) for one in kept["results"] if one["kind"] == kind]


def _result(one: Kept) -> Result:
    made = {
        "run": None if one["run"] is None else Run(**one["run"]),
        "check": None if one["check"] is None else Run(**one["check"]),
        "outcome": None if one["outcome"] is None else Outcome(**one["outcome"]),
    }
    return Result(**{**one, **made})


def blocks() -> dict[str, str]:
    """Every table of the page, by the name of its slot."""
    scale, peers = read(SCALE), read(PEERS)
    return {
        "machine": machine_line(scale),
        "nation": nation_table(scale),
        "beside": beside_lines(scale),
        "curve": curve_table(scale),
        "fit": fit_lines(scale),
        **{
            f"peers {kind}": markdown(results(peers, kind), MEASURED_BY)
            for kind in dict.fromkeys(one["kind"] for one in peers["results"])
        },
    }


def pictures(kept: Kept) -> dict[str, str]:
    """Time and memory against jobs, a panel for each table."""
    return {
        f"performance-{measure}": panel_picture(_plot(kept, measure)).svg for measure in MEASURES
    }


LINES = {
    "query": ("bare query", Stroke(GREY, "4 3", "square")),
    "release": ("release", Stroke(BLUE)),
}


def _plot(kept: Kept, measure: str) -> FacetPlot:
    return FacetPlot(
        f"A release and the bare DuckDB query: {MEASURES[measure]}",
        Direction("million jobs in the data", log=True, ticks=(1, 10, 100)),
        Direction(MEASURES[measure], log=True),
        tuple(
            Facet(" × ".join(names), tuple(_traces(kept, table, measure)))
            for table, names in kept["tables"].items()
        ),
    )


def _traces(kept: Kept, table: str, measure: str) -> Iterator[Trace]:
    mine = sorted(
        (one for one in kept["measured"] if one["table"] == table), key=lambda one: one["jobs"]
    )
    for kind, (label, stroke) in LINES.items():
        points = (TracePoint(one["jobs"] / 1e6, one[kind][measure]) for one in mine)
        yield Trace(label, stroke, tuple(points))


if __name__ == "__main__":
    keep(DOCS.parent / "build")
    fill(PAGE, blocks())
    for stem, svg in pictures(read(SCALE)).items():
        (PICTURES / f"{stem}.svg").write_text(svg, encoding="utf-8")
