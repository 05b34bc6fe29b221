"""`leeward demo`: a made-up economy, a plan, a check, a release with its report, and the truth."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import duckdb
import typer

from leeward.core.errors import BadFile
from leeward.core.privacy import Guarantee
from leeward.core.show.numbers import reach
from leeward.interface.commands.check_command import check_lines, check_made_up
from leeward.interface.commands.economy_command import make
from leeward.interface.commands.options import Establishments, Jobs, Seed
from leeward.interface.commands.release_command import report, run, summary
from leeward.interface.commands.screen import say, say_lines
from leeward.lab.economy import Economy
from leeward.publishing.bundle import read_bundle
from leeward.publishing.bundle.figure import cells
from leeward.publishing.ledger import Ledger
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.predicted import plan_lines

PLAN = """\
data:
  workplaces: economy/workplaces.parquet
  workers: economy/workers.parquet
  jobs: economy/jobs.parquet
codebook: economy/codebook.yaml
account: demo
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: place_industry, by: [place, sector, ownership], share: 1/2, establishments: true}
  - {name: place_sex_education, by: [place, sex, education], share: 1/2, establishments: true}
"""
ROWS, ROOM = 12, (9, 8, 7)
"""How many rows are shown, and the room of their codes."""


def demo_command(
    out: Annotated[Path, typer.Option("--out", help="Folder to write; must not exist.")],
    jobs: Jobs = 20_000,
    establishments: Establishments = 1_000,
    seed: Seed = 1,
) -> None:
    """Make up an economy, plan, release, and compare with the truth.

    Only because the economy is made up may the truth be shown beside the release.

    Example: leeward demo --out demo
    """
    _new(out)
    say(f"1. A made-up economy: {jobs:,} jobs in {establishments:,} establishments (seed {seed})")
    make(Economy(jobs, establishments, None, seed), out / "economy")
    plan, ledger = out / "plan.yaml", out / "ledger.sqlite"
    plan.write_text(PLAN, encoding="utf-8")
    with Ledger.new(ledger) as book:
        book.open_account("demo", Guarantee("strong", "0.1", "16"))
        account = book.account("demo")
    say(f"\n2. What the plan {plan} promises and costs (leeward plan)\n")
    say_lines(_indented(plan_lines(read_plan(plan), account)))
    say("\n3. The check of every row (leeward check)\n")
    checked, reason = check_made_up(read_plan(plan))
    say_lines(_indented(check_lines(checked, receipt=False)))
    say("\n4. The release (leeward release)\n")
    bundle = run(read_plan(plan), out / "bundle", ledger, unchecked=reason)
    added = report(bundle)
    read = [] if added is None else [f"What a review board reads: {added} (open it in a browser)"]
    say_lines(_indented((*summary(bundle), "", *comparison(out), *read)))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"   {line}" if line else "" for line in lines)


def _new(out: Path) -> None:
    if out.exists():
        raise BadFile(
            "--out",
            rule="must not exist yet",
            value=repr(str(out)),
            next_step="Choose another folder.",
        )
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise BadFile(
            "--out",
            rule=f"must be a folder that can be made ({error.strerror})",
            value=repr(str(out)),
            next_step="Choose another folder.",
        ) from None


def comparison(out: Path) -> Iterator[str]:
    """The first rows of the first table beside the truth, and how many margins hold."""
    table = read_bundle(out / "bundle").table("place_industry")
    truth = true_counts(out / "economy", ("place", "sector", "ownership"))
    rows = cells(table)
    yield "The first rows beside the truth, which is shown only because it is made up:"
    yield ""
    yield f"{'place':<9}{'sector':<8}{'owner':<7}{'released':>9}{'margin':>16}{'truth':>8}"
    covered = 0
    for number, row in enumerate(rows):
        true, value = truth.get(row.codes, 0), row.value or 0
        low, high = row.ends or (value, value)
        covered += (low or 0) <= true <= (high or 0)
        if number < ROWS:
            named = "".join(f"{code:<{room}}" for code, room in zip(row.codes, ROOM, strict=True))
            yield f"{named}{value:>9,}{reach(value, (low, high)):>16}{true:>8,}"
    yield ""
    yield f"{covered:,} of {len(rows):,} margins hold the truth (90 % are meant to)."
    yield f"The bundle that may be published: {out / 'bundle'} (leeward verify {out / 'bundle'})"


def true_counts(economy: Path, by: tuple[str, ...]) -> Mapping[tuple[str, ...], int]:
    """Exact counts of jobs by attributes of workplaces; only for made-up tables."""
    columns = ", ".join(by)
    jobs, workplaces = economy / "jobs.parquet", economy / "workplaces.parquet"
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT {columns}, count(*) FROM read_parquet(?) JOIN read_parquet(?) "  # noqa: S608 (our own column names)
            f"USING (workplace_id) GROUP BY {columns}",
            [str(jobs), str(workplaces)],
        ).fetchall()
    return {tuple(row[:-1]): row[-1] for row in rows}
