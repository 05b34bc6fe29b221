"""The results of a run as a Markdown table; what it says of the rows follows from the counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.peers.outcome import Outcome
from benchmarks.process import Run
from benchmarks.stopwatch import in_words

MANY = 100  # zero cells from which the absence of negative values says something
SURE = 4  # standard errors from which a mean error is called a bias
HEAD = (
    "contender",
    "protects",
    "seconds",
    "× Leeward",
    "peak MB",
    "× Leeward",
    "rows",
    "values",
    "mean error",
    "sd",
    "sd where true is 0",
)


@dataclass(frozen=True)
class Result:
    """A contender's tabulation of one kind; `failure` says why there is none."""

    name: str
    label: str
    version: str
    protects: str
    kind: str
    attempts: int = 0
    run: Run | None = None
    check: Run | None = None
    outcome: Outcome | None = None
    failure: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


def rows_in_words(found: Outcome) -> str:
    """How many rows, and which cells are not among them."""
    if found.unknown:
        return f"{found.rows:,}, {found.unknown:,} of them not in the list"
    if not found.missing:
        return f"{found.rows:,}, all"
    if found.missing == found.missing_zeros == found.zeros:
        return f"{found.rows:,}, observed cells only ({found.missing:,} missing)"
    return f"{found.rows:,}, {found.missing:,} missing"


def values_in_words(found: Outcome) -> str:
    """Integers or fractions, and whether negative ones occur."""
    sort = "integers" if found.whole else "fractions"
    if found.negative:
        return f"{sort}, some negative"
    noisy_zeros = found.zeros - found.missing_zeros >= MANY and found.zeros_spread
    return f"{sort}, clamped at zero" if noisy_zeros else f"{sort}, none negative"


def bias_in_words(found: Outcome) -> str:
    """The mean error, and whether chance explains it."""
    text = f"{found.mean:+.4f} ± {found.standard_error:.4f}"
    return f"{text}, biased" if abs(found.mean) > SURE * found.standard_error else text


def _cells(result: Result, measure: Run | None) -> list[str]:
    name = f"{result.label} {result.version}".strip()
    run, found = result.run, result.outcome
    if run is None or found is None:
        reason = result.failure.replace("|", "/").replace("\n", " ")
        return [name, result.protects, f"did not run: {reason}", *[""] * (len(HEAD) - 3)]
    zeros = "" if found.zeros_spread is None else f"{found.zeros_spread:.2f}"
    return [
        name,
        result.protects,
        f"{run.seconds:,.2f}",
        f"{run.seconds / measure.seconds:.2f}" if measure else "",
        f"{run.megabytes:,.0f}",
        f"{run.megabytes / measure.megabytes:.2f}" if measure else "",
        rows_in_words(found),
        values_in_words(found),
        bias_in_words(found),
        f"{found.spread:.2f}",
        zeros,
    ]


def markdown(results: Sequence[Result], measured_by: str) -> str:
    """A table of the results of one kind; ratios are to the contender `measured_by`."""
    measure = next((one.run for one in results if one.name == measured_by), None)
    lines = [HEAD, ["---"] * len(HEAD), *(_cells(result, measure) for result in results)]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    for result in results:
        if result.check:
            text += f"\n\n{result.label}: `leeward check` beforehand took "
            text += f"{result.check.seconds:,.2f} s and {result.check.megabytes:,.0f} MB."
        if result.parts:
            text += f"\n\n{result.label}, its parts: {in_words(result.parts)}."
    return text
