"""Kinds of workers: what the ledger compares between weak releases of one account."""

from dataclasses import replace
from pathlib import Path

import pytest

from leeward.core.codebook import Payroll
from leeward.core.errors import CannotCompose
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Ledger, Subject
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.release.charge import kinds, subject

PLAN = """\
data: {{workplaces: a.csv, workers: b.csv, jobs: c.csv}}
codebook: {codebook}
account: office
period: 2026Q2
protect: {{policy: {policy}, alpha: 0.1, epsilon: 2}}
tables: [{{name: places, by: [place]}}]
"""
CODEBOOK = """\
attributes:
  place: {table: workplaces, public: true, codes: [N, S]}
  sex: {table: workers, codes: {F: women, M: men}}
  edu: {table: workers, column: school, codes: [lo, hi], omit: [none], other: lo}
  old: {table: workers, codes: [Y, N], from: age, map: {"1": Y, "2": N}}
  age: {table: workers, codes: ["1", "2"], null_as: "2"}
"""

Change = tuple[str, str]


def planned(folder: Path, *changes: Change, policy: str = "weak") -> Plan:
    text = CODEBOOK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "codebook.yaml").write_text(text)
    (folder / "plan.yaml").write_text(PLAN.format(codebook="codebook.yaml", policy=policy))
    return read_plan(folder / "plan.yaml")


@pytest.mark.parametrize(
    "change",
    [
        ("F: women, M: men", "M: lads, F: ladies"),
        ("  edu:", "  education:"),
        ("[N, S]}\n  sex:", "[N, S, W]}\n  sex:"),
        ("attributes:\n", "attributes:\n  sex2: {table: workers, column: sex, codes: [F, M]}\n"),
        ('  age: {table: workers, codes: ["1", "2"]', '  age: {table: workers, codes: ["2", "1"]'),
    ],
    ids=["labels, order", "name", "workplaces", "twice", "order of codes"],
)
def test_the_same_kinds_have_the_same_digest(change: Change, tmp_path: Path) -> None:
    assert kinds(planned(tmp_path, change)) == kinds(planned(tmp_path))


@pytest.mark.parametrize(
    "change",
    [
        ("column: school", "column: schooling"),
        ("edu: {table: workers", "edu: {table: jobs"),
        ("codes: [lo, hi]", "codes: [lo, mid, hi]"),
        ("omit: [none]", "omit: [nothing]"),
        ("other: lo", "other: hi"),
        ("other: lo", "null_as: lo"),
        ('map: {"1": Y, "2": N}', 'map: {"1": N, "2": Y}'),
        ("  sex: {table: workers, codes: {F: women, M: men}}\n", ""),
    ],
    ids=["column", "table", "codes", "omit", "other", "null", "map", "fewer"],
)
def test_other_kinds_have_another_digest(change: Change, tmp_path: Path) -> None:
    assert kinds(planned(tmp_path, change)) != kinds(planned(tmp_path))


def test_other_bounds_of_classes_make_other_kinds(tmp_path: Path) -> None:
    years = (
        "  years: {{table: workers, type: integer, unit: {}, cap: 99, classes: {{a: {}, b: 99}}}}"
    )
    told = [
        kinds(planned(tmp_path, ("  age:", f"{years.format(unit, bound)}\n  age:")))
        for unit, bound in (("year", 29), ("spring", 29), ("year", 30))
    ]
    assert told[0] == told[1] != told[2]


def test_a_strong_release_knows_no_kinds(tmp_path: Path) -> None:
    assert kinds(planned(tmp_path, policy="strong")) == "none"


def test_two_columns_of_one_name_do_not_add_up(tmp_path: Path) -> None:
    """The name of an attribute says nothing about its neighbours."""
    weak = Guarantee("weak", "0.1", 9)
    with Ledger.new(tmp_path / "ledger.sqlite") as book:
        book.open_account("office", weak)
        first = planned(tmp_path)
        book.reserve("office", first.charge, subject(first, Path("one"), "1" * 64))
        other = planned(tmp_path, ("column: school", "column: degree"))
        refused = book.would_refuse("office", other.charge, subject(other, Path("two"), "2" * 64))
        assert isinstance(refused, CannotCompose)
        assert refused.parameter == "codebook"
        strong = planned(tmp_path, ("column: school", "column: degree"), policy="strong")
        book.reserve("office", strong.charge, subject(strong, Path("two"), "2" * 64))


def paid(folder: Path, cap: int, more: str = "") -> Plan:
    """A proportional plan with the payroll of a column that has this cap."""
    amount = f"type: integer, unit: cent, cap: {cap}, classes: {{a: {cap}}}"
    pay = f"  pay: {{table: jobs, {amount}{more}}}\n"
    plan = planned(folder, ("  age:", f"{pay}  age:"), policy="proportional")
    (table,) = plan.tables
    payroll = Payroll(plan.codebook.attributes["pay"])
    told = replace(table, marginal=replace(table.marginal, statistic=payroll))
    return replace(plan, tables=(told,))


def test_a_proportional_account_keeps_to_one_cap_of_pay(tmp_path: Path) -> None:
    counts = planned(tmp_path, policy="proportional")
    assert kinds(counts) == "none"
    with Ledger.new(tmp_path / "ledger.sqlite") as book:
        book.open_account("office", Guarantee("proportional", "0.1", 9))
        for number, plan in enumerate((counts, paid(tmp_path, 99), paid(tmp_path, 99), counts)):
            out = Path(f"b{number}")
            book.reserve(
                "office", plan.charge, subject(plan, out, f"{number}" * 64), again=number > 1
            )
        other = paid(tmp_path, 100)
        refused = book.would_refuse("office", other.charge, subject(other, Path("x"), "9" * 64))
        assert "must have the same columns, caps and nulls of pay" in str(refused)
        assert "another cap, column or list of nulls than that of entry 3" in str(refused)
        # Jobs whose pay is missing count as paid the least: with other nulls payrolls differ.
        missing = paid(tmp_path, 99, ", nulls: ['50']")
        refused = book.would_refuse("office", missing.charge, subject(missing, Path("x"), "9" * 64))
        assert "must have the same columns, caps and nulls of pay" in str(refused)


def test_texts_that_are_no_numbers_anyway_may_differ(tmp_path: Path) -> None:
    """`nulls` of a draft are for codes: pay that is such a text is missing with or without them."""
    same = paid(tmp_path, 99), paid(tmp_path, 99, ", nulls: ['-', NA, .]")
    assert kinds(same[0]) == kinds(same[1])
    for number in ("-9", "inf", "-Infinity", "0.0"):  # a column of floats may have them all
        assert kinds(same[0]) != kinds(paid(tmp_path, 99, f", nulls: ['{number}']"))
    held = []
    for nulls in ("", ", nulls: ['-', NA, .]"):
        text = ("attributes:\n", f"{ORDER}{nulls}}}\n")
        planned(tmp_path, text, policy="strong")
        path = tmp_path / "plan.yaml"
        path.write_text(path.read_text() + "jobs: {primary: pay}\n")
        held.append(subject(read_plan(path), Path("one"), "1" * 64).keys)
    assert held[0] == held[1]


IDS = "tables: {nulls: ['-']}\nattributes:\n"
ORDER = "attributes:\n  pay: {table: jobs, type: integer, unit: cent, cap: 9, classes: {a: 9}"


@pytest.mark.parametrize(
    ("change", "key", "jobs"),
    [
        (IDS, "tables.nulls", ""),
        (f"{ORDER}, nulls: ['5']}}\n", "nulls of jobs.primary", "jobs: {primary: pay}\n"),
    ],
    ids=["ids", "primary"],
)
def test_an_account_has_the_same_missing_ids(
    tmp_path: Path, change: str, key: str, jobs: str
) -> None:
    """Known bad: releases of one account in which other rows count as jobs of an establishment."""

    def asked(text: str) -> tuple[Guarantee, Subject]:
        planned(tmp_path, ("attributes:\n", text), policy="strong")
        path = tmp_path / "plan.yaml"
        path.write_text(path.read_text() + jobs)
        plan = read_plan(path)
        return plan.charge, subject(plan, Path("one"), "1" * 64)

    plain = f"{ORDER}}}\n" if jobs else "attributes:\n"
    for first, second in ((plain, change), (change, plain)):
        with Ledger.new(tmp_path / f"{first == plain}.sqlite") as book:
            book.open_account("office", Guarantee("strong", "0.1", 9))
            book.reserve("office", *asked(first))
            refused = book.would_refuse("office", *asked(second))
            assert isinstance(refused, CannotCompose)
            assert refused.parameter == key
            book.reserve("office", *asked(first), again=True)
            assert book.verify() == ()
