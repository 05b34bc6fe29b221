"""Fills the tables of the documents from the program: run by `make docs`, checked by a test."""

import json
import sys
from collections.abc import Callable
from math import ceil, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from typer.testing import CliRunner

import leeward
from docs.slot import fill, table
from leeward.core.mechanisms.error_margins import NoMargins
from leeward.core.show.numbers import significant
from leeward.interface.commands.app import build
from leeward.interface.commands.audit_command import markdown
from leeward.interface.commands.audit_promises import cells as promise_cells
from leeward.interface.report.glossary import glossary
from leeward.lab.attacks.attack_registry import ATTACKS, story
from leeward.lab.audit import audit
from leeward.lab.audit.false_promises import false_promises
from leeward.lab.audit.reading_exam import false_readings
from leeward.lab.evaluate.job_prices import ALPHA, job_prices, price_picture, price_rows
from leeward.lab.evaluate.quarters import quarters_rows
from leeward.publishing.bundle import bundle_files, certificate
from leeward.systems.local.channel import Channel
from leeward.systems.local.channel_choice import AUTO, channel
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.projective import Projective
from leeward.systems.local.result import QUANTILE, expected_error
from leeward.systems.local.subset_selection import SubsetSelection
from leeward.systems.local.unary import Unary

DOCS = Path(__file__).parent
LARGE = 10**9
POINTS = (
    *(("0.01", epsilon) for epsilon in ("1", "4")),
    *(("0.05", epsilon) for epsilon in ("0.5", "2")),
    *(("0.1", epsilon) for epsilon in ("0.5", "1", "2", "3", "4", "6", "8")),
    *(("0.2", epsilon) for epsilon in ("1", "2", "4")),
)


def errors() -> str:
    """E|noise|/S of the published mechanisms and of ours."""
    published = ("Smooth Gamma, published", "Log-Laplace, published*")
    head = ("α, ε", *published, "Pareto", "**slope**", "**staircase**")
    lines = []
    for alpha, epsilon in POINTS:
        names = (("smooth_gamma", "published"), ("log_laplace", "published"))
        ours = (("vector_pareto", "tight"), ("slope", "tight"), ("staircase", "tight"))
        values = [error(name, form, alpha, epsilon) for name, form in (*names, *ours)]
        lines.append((f"{alpha}, {epsilon}", *values))
    return table(head, lines)


def error(name: str, calibration: str, alpha: str, epsilon: str) -> str:
    """One entry, for a cell that is a single large establishment."""
    made = leeward.mechanism(name, alpha=alpha, epsilon=epsilon, calibration=calibration)
    value = made.mean_abs_error(LARGE, LARGE)  # type: ignore[union-attr] # none is a product
    return "infinite" if value is None else f"{float(value) / (float(alpha) * LARGE):.3f}"


BLOCKS = (
    ("0.05", "1"),
    ("0.05", "2"),
    *(("0.1", epsilon) for epsilon in ("1", "2", "4")),
    ("0.2", "4"),
)
SIX = (3, 3, 6, 2, 5, 2)


def blocks() -> str:
    """E|noise|/S of a cell where worker cells are drawn together: eight, and the six of LODES."""
    head = ("α, ε", "vector_pareto", "**radial_slope**", "joint_pareto", "**joint_radial**")
    rows = [
        (
            f"{alpha}, {epsilon}",
            *(of_cells(name, alpha, epsilon) for name in ("vector_pareto", "radial_slope")),
            *(of_cells(name, alpha, epsilon, SIX) for name in ("joint_pareto", "joint_radial")),
        )
        for alpha, epsilon in BLOCKS
    ]
    return table(head, rows)


def of_cells(name: str, alpha: str, epsilon: str, tables: tuple[int, ...] = ()) -> str:
    """The mean over all cells, for one large establishment; a dash where ε is too small."""
    try:
        shape: dict[str, Any] = {"tables": tables} if tables else {"cells": 8}
        made = leeward.mechanism(name, alpha=alpha, epsilon=epsilon, **shape)
    except leeward.InvalidParameter:
        return "–"
    value = made.measurement(by_cell=False, margins=NoMargins()).expected_error(LARGE)
    return "infinite" if value is None else f"{value / (float(alpha) * LARGE):.3f}"


def demo() -> str:
    """What `make demo` prints."""
    with TemporaryDirectory() as folder:
        said = CliRunner().invoke(build(), ["demo", "--out", f"{folder}/demo"])
        if said.exit_code:
            raise RuntimeError(said.output)
        shown = said.stdout.replace(f"{folder}/demo", "build/demo").rstrip()
    return f"```\n{shown}\n```"


def false_sentences() -> str:
    """The sentences that the examiner must reject, with what they promise and what is true."""
    false = [*false_promises(), *false_readings()]
    rows = [(row.text, row.mechanism, *promise_cells(row)[5:]) for row in false]
    return table(("false sentence", "mechanism", "promised", "computed", "verdict"), rows)


def one_job() -> str:
    """What `leeward evaluate --one-job` prints; its figure is drawn beside the others."""
    prices = job_prices()
    picture = price_picture(prices, ALPHA).svg
    (DOCS / "pictures" / "one-job.svg").write_text(picture + "\n", encoding="utf-8")
    return table(*price_rows(prices))


def quarters() -> str:
    """What `leeward evaluate --quarters` prints."""
    return table(*quarters_rows())


SURVEYS = ("1", "2", "4")
"""The ε of the tables about surveys."""


def deviations(made: Callable[[int, str], Channel], domain: int, n: int) -> str:
    """Standard deviations of a rare answer's count at every ε."""
    found = (made(domain, epsilon).variance(n, 0) ** 0.5 for epsilon in SURVEYS)
    return " / ".join(f"{one:,.0f}" for one in found)


def local_errors() -> str:
    """The mechanisms of surveys beside each other, a million clients."""
    makers: tuple[Callable[[int, str], Channel], ...] = (
        lambda k, e: SubsetSelection.of(k, e, 1),
        *(SubsetSelection.of, Projective.of, Hadamard.of, Unary.of),
    )
    head = ("answers", "randomised response", "subset selection", "projective", "Hadamard", "unary")
    rows = [
        (f"{k:,}", *(deviations(made, k, 10**6) for made in makers)) for k in (10, 1000, 100_000)
    ]
    return table(head, rows)


def survey_errors() -> str:
    """Standard deviation of the share of a rare answer, in points, by answers, people and ε."""
    head = ("answers", "people who report", *(f"ε = {one}" for one in SURVEYS), "trusted")
    rows = []
    for answers, people in ((2, 100), (2, 500), (2, 5000), (20, 500), (20, 5000), (20, 50_000)):
        asked = [channel(AUTO, answers, one) for one in SURVEYS]
        errors = [f"± {significant(100 * expected_error(one, people))}" for one in asked]
        trusted = 100 * sqrt(2) / people
        rows.append((f"{answers}", f"{people:,}", *errors, f"± {significant(trusted)}"))
    return table(head, rows)


def survey_people() -> str:
    """How many people must report for a margin of 5 points, by answers and ε."""
    head = ("answers", *(f"ε = {one}" for one in SURVEYS))
    rows = []
    for answers in (2, 5, 20, 100):
        asked = [channel(AUTO, answers, one) for one in SURVEYS]
        needed = [ceil((QUANTILE * expected_error(one, 1) / 0.05) ** 2) for one in asked]
        rows.append((f"{answers}", *(f"{one:,}" for one in needed)))
    return table(head, rows)


def attacks() -> str:
    """What every attack found: number, sentence, and the same attacker against us and nothing."""
    said = CliRunner().invoke(build(), ["attack", "all", "--json"])
    if said.exit_code:
        raise RuntimeError(said.output)
    return "\n\n".join(map(attack_section, json.loads(said.stdout)))


def attack_section(found: dict[str, Any]) -> str:
    """One attack: its line of the list, what it found, and the remarks."""
    name = found["attack"]
    remarks = "".join(f"\n* {one}" for one in found["remarks"])
    return (
        f"### {name}\n\n"
        f"{ATTACKS[name].line} {' '.join(story(name))}\n\n"
        f"> {found['sentence']}\n\n"
        f"* **Leeward.** {found['against_leeward']['sentence']}\n"
        f"* **No release.** {found['against_nothing']['sentence']}{remarks}"
    )


def terms() -> str:
    """Every term of the glossary."""
    return table(("term", "meaning"), [(one.name, one.meaning) for one in glossary().values()])


TABLES: dict[str, tuple[Path, Callable[[], str]]] = {
    "demo": (DOCS.parent / "README.md", demo),
    "errors": (DOCS.parent / "README.md", errors),
    "blocks": (DOCS.parent / "README.md", blocks),
    "one-job": (DOCS / "explanation" / "evaluation.md", one_job),
    "audit": (
        DOCS / "explanation" / "privacy-promise.md",
        lambda: markdown(audit(quick=True)),
    ),
    "false-promises": (DOCS / "explanation" / "privacy-promise.md", false_sentences),
    "local-errors": (DOCS / "explanation" / "local.md", local_errors),
    "attacks": (DOCS / "explanation" / "attacks.md", attacks),
    "quarters": (DOCS / "explanation" / "evaluation.md", quarters),
    "survey-errors": (DOCS / "how-to" / "local-survey.md", survey_errors),
    "glossary": (DOCS / "reference" / "glossary.md", terms),
    "survey-people": (DOCS / "how-to" / "local-survey.md", survey_people),
}


SCHEMA = "schema"
PUBLISHED_SCHEMA = Path(certificate.__file__).with_name(bundle_files.SCHEMA)
"""The schema of certificates, which bundles hold; made of the statements."""


if __name__ == "__main__":
    for wanted in sys.argv[1:] or (SCHEMA, *TABLES):
        if wanted == SCHEMA:
            PUBLISHED_SCHEMA.write_bytes(certificate.schema_bytes())
            continue
        page, made = TABLES[wanted]
        fill(page, {wanted: made()})
