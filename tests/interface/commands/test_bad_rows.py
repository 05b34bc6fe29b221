"""Rows that do not agree with the codebook: listed inside, rejected or counted by a rule."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interface.commands.scene import (
    MARKER,
    NOTE,
    ONE_ANSWER,
    Office,
    Rows,
    jobs,
    workers,
    workplaces,
    write_csv,
)

Found = tuple[str, str, str, int]
"""Problem, table, column, rows."""


def set_first(table: Callable[[], Rows], **values: str) -> Callable[[], Rows]:
    return lambda: [{**table()[0], **values}, *table()[1:]]


def and_row(table: Callable[[], Rows], **values: str) -> Callable[[], Rows]:
    return lambda: [*table(), {**table()[0], **values}]


BAD_ROWS: dict[str, tuple[str, Callable[[], Rows], str, list[Found]]] = {
    "an unlisted code": (
        "workers",
        set_first(workers, sex=MARKER),
        "unlisted_code",
        [("unlisted code", "workers", "sex", 1)],
    ),
    "an unlisted code of workplaces": (
        "workplaces",
        set_first(workplaces, place=MARKER),
        "",
        [("unlisted code", "workplaces", "place", 1)],
    ),
    "an unlisted code of a private attribute": (
        "workplaces",
        set_first(workplaces, owner=MARKER),
        "",
        [("unlisted code", "workplaces", "owner", 1)],
    ),
    "no code": (
        "workers",
        set_first(workers, sex=""),
        "missing_code",
        [("missing code", "workers", "sex", 1)],
    ),
    "no worker id": (
        "workers",
        and_row(workers, worker_id=""),
        "missing_id",
        [("missing id", "workers", "worker_id", 1)],
    ),
    "no workplace id": (
        "workplaces",
        and_row(workplaces, workplace_id=""),
        "",
        [("missing id", "workplaces", "workplace_id", 1)],
    ),
    "a job without a worker": (
        "jobs",
        set_first(jobs, worker_id=""),
        "missing_id",
        [("missing id", "jobs", "worker_id", 1)],
    ),
    "a worker twice": (
        "workers",
        and_row(workers),
        "worker_rows",
        [("duplicate id", "workers", "worker_id", 1)],
    ),
    "a workplace twice": (
        "workplaces",
        and_row(workplaces),
        "",
        [("duplicate id", "workplaces", "workplace_id", 1)],
    ),
    "a job twice": (
        "jobs",
        and_row(jobs),
        "repeated_job",
        [
            ("duplicate job", "jobs", "worker_id", 1),
            ("worker with several jobs", "jobs", "worker_id", 2),
        ],
    ),
    "a worker with two jobs": (
        "jobs",
        and_row(jobs, workplace_id="e3"),
        "every",
        [("worker with several jobs", "jobs", "worker_id", 2)],
    ),
    "a job of nobody": (
        "jobs",
        set_first(jobs, worker_id=MARKER),
        "lost_job",
        [("not in workers", "jobs", "worker_id", 1)],
    ),
    "a job nowhere": (
        "jobs",
        set_first(jobs, workplace_id=MARKER),
        "lost_job",
        [("not in workplaces", "jobs", "workplace_id", 1)],
    ),
    "a column of nulls": (
        "workers",
        lambda: [{**row, "sex": ""} for row in workers()],
        "missing_code",
        [("missing code", "workers", "sex", 40)],
    ),
}
"""Table, rows, the rule that counts them (none: they refuse), and what a check finds."""


def told(office: Office) -> list[dict[str, object]]:
    checked = office.run("check", "plan.yaml", "--json")
    assert checked.stderr == ""
    answer = json.loads(checked.stdout)
    assert answer["confidential"] == NOTE.rstrip("\n")
    found: list[dict[str, object]] = answer["findings"]
    refused = any(one["refuses"] for one in found)
    assert checked.exit_code == (1 if refused else 4 if answer["warnings"] else 0)
    assert Path(answer["receipt"]).is_file()
    return found


def listed(found: list[dict[str, object]]) -> list[Found]:
    keys = ("problem", "table", "column", "rows")
    return [tuple(one[key] for key in keys) for one in found]  # type: ignore[misc] # four of them


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_are_listed_inside_and_refused_by_strict_plans(office: Office, name: str) -> None:
    table, rows, _, found = BAD_ROWS[name]
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    write_csv(office.folder / f"{table}.csv", rows())
    office.refuse_release(says=ONE_ANSWER)
    findings = told(office)
    assert listed(findings) == found
    assert all(one["next_step"] and one["refuses"] and not one["rule"] for one in findings)
    hidden = MARKER in "".join(str(value) for row in rows() for value in row.values())
    assert (MARKER in str(findings)) == hidden


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_of_workers_and_jobs_fall_under_a_rule(office: Office, name: str) -> None:
    table, rows, rule, found = BAD_ROWS[name]
    write_csv(office.folder / f"{table}.csv", rows())
    findings = told(office)
    if not rule:
        assert listed(findings) == found
        office.refuse_release(says=ONE_ANSWER)
        return
    ruled = [] if rule == "every" else [found[0]]
    assert listed(findings) == ruled
    assert [one["rule"] for one in findings] == [rule] * len(ruled)
    released = office.release()
    assert released.exit_code == 0, released.output
    assert MARKER not in released.output


@pytest.mark.parametrize("table", ["workers", "jobs"])
def test_a_table_without_rows_is_a_table(office: Office, table: str) -> None:
    path = office.folder / f"{table}.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    result = office.run("check", "plan.yaml")
    assert result.exit_code == 4
    lost = "Every job is lost" if table == "workers" else "There is no job"
    assert result.stdout.endswith(f"\n{lost}: a release would publish noise around 0.\n")
    assert (
        f"{table}: empty table, 0 rows\n  Tables of workers and jobs without rows are tables.\n"
        in result.stdout
    )
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    assert office.run("check", "plan.yaml").exit_code == 1
    office.refuse_release(says=ONE_ANSWER)
    office.edit("plan.yaml", ("rows: strict\n", ""))
    office.released()


HINT = (
    "Hint: sex has no `other` and no `null_as`: jobs without a listed sex count in no cell of "
    "by_sex, so its rows add up to at most all jobs, unlike those of other tables. Write `other` "
    "and `null_as` beside sex in the codebook, or `unknown` with a code for unknown."
)
"""What a check says of the office's own codebook, whatever the rows are."""


def test_check_lists_everything_at_once_with_its_rule_and_remedy(office: Office) -> None:
    write_csv(office.folder / "workers.csv", set_first(workers, sex=MARKER, education="")())
    write_csv(office.folder / "jobs.csv", and_row(jobs, workplace_id="e9")())
    write_csv(office.folder / "workplaces.csv", set_first(workplaces, sector="")())
    result = office.run("check", "plan.yaml")
    assert result.exit_code == 1
    assert result.stderr == ""
    no_cell = "where it names none, the job counts in no cell of that attribute, but in the size of"
    assert result.stdout.splitlines() == [
        NOTE.rstrip("\n"),
        "jobs.workplace_id: not in workplaces, 1 of 41 rows (such as e9)",
        "  A job whose worker is not in the table of workers, or whose workplace is not in the "
        "table of workplaces, is left out.",
        "  Add the missing rows to workplaces, or remove the jobs.",
        "workplaces.sector: missing code, 1 of 6 rows",
        "  This refuses a release.",
        "  Fill the rows, or name a code with `null_as` in the codebook.",
        "workers.sex: unlisted code, 1 of 40 rows (such as SECRET)",
        "  A code that the codebook does not list counts as the one that it names with other; "
        f"{no_cell} its establishment.",
        "  List or omit the codes in the codebook, or name a code with `other`.",
        "workers.education: missing code, 1 of 40 rows",
        "  A missing code counts as the code that the codebook names with null_as; "
        f"{no_cell} its establishment.",
        "  Fill the rows, or name a code with `null_as` in the codebook.",
        HINT,
    ]


def test_a_rank_that_is_no_number_ranks_last(office: Office) -> None:
    ranked = [{**row, "pay": "1"} for row in jobs()]
    write_csv(office.folder / "jobs.csv", [{**ranked[0], "pay": MARKER}, *ranked[1:]])
    office.edit("plan.yaml", ("period:", "jobs: {primary: pay}\nperiod:"))
    checked = office.run("check", "plan.yaml")
    assert "jobs.pay: missing rank, 1 of 40 rows\n" in checked.stdout
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    office.refuse_release(says=ONE_ANSWER)
    office.edit("plan.yaml", ("rows: strict\n", ""))
    office.released()


def test_an_unlisted_code_of_workplaces_is_not_to_be_omitted(office: Office) -> None:
    write_csv(office.folder / "workplaces.csv", set_first(workplaces, place=MARKER)())
    assert office.run("check", "plan.yaml").stdout == (
        f"{NOTE}workplaces.place: unlisted code, 1 of 6 rows (such as SECRET)\n"
        "  This refuses a release.\n"
        "  List the codes in the codebook, or fold them into a listed one with `other`.\n"
        f"{HINT}\n"
    )


@pytest.mark.parametrize(
    ("column", "step"),
    [
        ("wages", "Add it, or mend `jobs.primary` in the plan."),
        ("workplaceid", "Did you mean 'workplace_id'?"),
    ],
)
def test_a_missing_rank_column_is_the_plans_matter(office: Office, column: str, step: str) -> None:
    office.edit("plan.yaml", ("period:", f"jobs: {{primary: {column}}}\nperiod:"))
    office.refuse_release(
        says=f"data.jobs: must have the column {column!r}, which the plan names as "
        f"`jobs.primary`; got no such column among 2. {step}"
    )
