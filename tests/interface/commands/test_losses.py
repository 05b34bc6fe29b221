"""`leeward check` and `leeward jobs` say loudly what is lost, and what to do about it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interface.commands.scene import Office, Rows, jobs, workers, workplaces, write_csv
from tests.unchecked import UNCHECKED

NOISE = "a release would publish noise around 0"


def check(office: Office, *more: str) -> tuple[int, str]:
    result = office.run("check", "plan.yaml", *more)
    assert result.stderr == ""
    return result.exit_code, result.stdout


def answer(office: Office, *more: str) -> Any:  # noqa: ANN401 (JSON)
    return json.loads(check(office, "--json", *more)[1])


def renamed(rows: Rows, column: str, form: Callable[[str], str]) -> Rows:
    return [row | {column: form(row[column])} for row in rows]


IDS: dict[str, tuple[Callable[[str], str], str]] = {
    "zeros behind": (
        lambda one: f"{one[1:]}.0",
        "40 of them match without the .0 behind ids: a program wrote whole numbers with a point. "
        'Write jobs.workplace_id and workplaces.workplace_id as whole numbers (.astype("Int64") in '
        "pandas, as.integer in R).",
    ),
    "zeros before": (
        lambda one: f"00{one[1:]}",
        "40 of them match without leading zeros: a program read ids as numbers.",
    ),
    "blanks": (
        lambda one: f"{one[1:]} ",
        "40 of them match without the blanks around ids: trim jobs.workplace_id and "
        "workplaces.workplace_id.",
    ),
    "all of it": (
        lambda one: f" 0{one[1:]}.0",
        "40 of them match without blanks, leading zeros and .0: write jobs.workplace_id and "
        "workplaces.workplace_id as text in one form",
    ),
}


@pytest.mark.parametrize("name", IDS)
def test_ids_that_almost_match_lose_every_job_and_say_so(office: Office, name: str) -> None:
    form, hint = IDS[name]
    write_csv(office.folder / "jobs.csv", renamed(jobs(), "workplace_id", lambda one: one[1:]))
    write_csv(office.folder / "workplaces.csv", renamed(workplaces(), "workplace_id", form))
    code, said = check(office)
    assert code == 4
    assert "jobs.workplace_id: not in workplaces, 40 of 40 rows (such as 0, 1, 2)\n" in said
    assert f"  {hint}" in said
    assert said.endswith(f"\nEvery job is lost: {NOISE}.\n")
    assert check(office, "--most", "100%")[0] == 4  # all is always too much
    office.released()  # a release says nothing


def test_a_part_is_told_with_its_share_and_limit(office: Office) -> None:
    rows = jobs()
    write_csv(office.folder / "jobs.csv", renamed(rows[:3], "workplace_id", lambda _: "x")
              + rows[3:])  # fmt: skip
    code, said = check(office)
    assert code == 4
    assert said.endswith("Every table loses 7.5\N{NO-BREAK SPACE}% of the jobs (3 of 40 jobs).\n")
    for most, code in (("7.5%", 0), ("7.4 %", 4), ("0.075", 0), ("3/40", 0), ("0%", 4)):
        assert check(office, "--most", most)[0] == code
    told = answer(office)
    assert told["losses"][0] == {"what": "every table", "lost": 3, "of": 40, "share": 0.075}
    assert told["most"] == "5%"
    assert len(told["warnings"]) == 1


@pytest.mark.parametrize("most", ["5 percent", "101%", "-1%", "", "x"])
def test_what_is_no_share_is_rejected(office: Office, most: str) -> None:
    office.refuse(
        *("check", "plan.yaml", f"--most={most}"),
        says=f"--most: must be a share from 0% to 100%; got {most!r}. Write a share such as 5%.",
    )


CODES: dict[str, tuple[str, Callable[[str], str], str]] = {
    "first letters": (
        "{'1': Female, '2': Male}",
        str,
        "'F' is the first letter of a label, not a code: the column has first letters. Write the "
        "codes into the column, or list what it has: `sex: {codes: {F: Female, M: Male}}`.",
    ),
    "labels": (
        "{'1': Female, '2': Male}",
        lambda one: {"F": "female", "M": "male"}[one],
        "'female' is a label, not a code: the column has labels. Write the codes into the column, "
        "or list what it has: `sex: {codes: {female: Female, male: Male}}`.",
    ),
    "zeros before": (
        "{'01': Female, '02': Male}",
        lambda one: {"F": "1", "M": "2"}[one],
        "'1' differs from '01' by leading zeros or .0: a program read codes as numbers.",
    ),
    "zeros behind": (
        "{'1': Female, '2': Male}",
        lambda one: {"F": "1.0", "M": "2.0"}[one],
        "'1.0' differs from '1' by leading zeros or .0: a program read codes as numbers.",
    ),
    "another spelling of a packaged list": (
        "{F: Female, M: Male}",
        lambda one: {"F": "2", "M": "1"}[one],
        "'1' is a code of lehd/sex (Sex), another list: is this the vintage of the data? Write "
        "`codes: standard:lehd/sex`.",
    ),
    "a wrong encoding": (
        "[Männer, Frauen]",
        lambda one: {"F": "Frauen", "M": "Männer"}[one].encode().decode("cp1252"),
        "'MÃ¤nner' was probably written as 'Männer': the file was read in a wrong encoding.",
    ),
}


@pytest.mark.parametrize("name", CODES)
def test_codes_in_another_spelling_lose_a_table_and_say_so(office: Office, name: str) -> None:
    listed, form, hint = CODES[name]
    office.edit("codebook.yaml", ("codes: [F, M]", f"codes: {listed}"))
    write_csv(office.folder / "workers.csv", renamed(workers(), "sex", form))
    code, said = check(office)
    assert code == 4
    assert f"  {hint}" in said
    lost = "50.0\N{NO-BREAK SPACE}% of the jobs (20 of 40 jobs)"
    every = name != "a wrong encoding"
    assert said.endswith(
        f"\nTables by sex lose {'every job: ' + NOISE + ' there' if every else lost}."
        f"\nTable by_sex loses {'every job: ' + NOISE + ' there' if every else lost}.\n"
    )


def test_codes_of_another_vintage_name_it(office: Office) -> None:
    lists = office.folder / "lists"
    lists.mkdir()
    for year, codes in (("2017", "443141 443142"), ("2022", "449210 455110")):
        rows = "".join(f"{n},{code},Title {code}\n" for n, code in enumerate(codes.split()))
        head = f"Seq. No.,{year} NAICS US   Code,{year} NAICS US Title\n"
        same = "".join(
            f"{n},{code},Title {code}\n" for n, code in enumerate(("722511", "722513", "722514"))
        )
        (lists / f"naics{year}.csv").write_text(head + rows + same)
    office.edit(
        "codebook.yaml",
        ("attributes:\n", "classifications: lists\nattributes:\n"),
        ("codes: [F, M]", "codes: standard:naics2022/6"),
    )
    form = {"F": "443141", "M": "722511"}
    write_csv(office.folder / "workers.csv", renamed(workers(), "sex", lambda one: form[one]))
    code, said = check(office)
    assert code == 4
    assert "'443141' is a code of naics2017/6" in said
    assert "Write `codes: standard:naics2017/6`." in said


def test_a_code_for_all_others_is_not_for_most_rows(office: Office) -> None:
    """Folded rows are in every table, but a column of them says nothing."""
    office.edit("codebook.yaml", ("codes: [F, M]}", "codes: [F, M], unknown: U}"))
    rows = workers()
    for missing, unlisted, ends in ((20, 0, 0), (18, 2, 0), (21, 0, 4), (19, 2, 4), (0, 3, 4)):
        texts = [*missing * [""], *unlisted * ["x"], *(one["sex"] for one in rows)]
        some = [row | {"sex": text} for row, text in zip(rows, texts, strict=False)]
        write_csv(office.folder / "workers.csv", some)
        code, said = check(office)
        assert code == ends, (missing, unlisted)
    assert "\nworkers.sex: unlisted code, 3 of 40 rows (such as x)\n" in said
    assert said.endswith(
        "\nworkers.sex: 7.5\N{NO-BREAK SPACE}% of the rows (3 of 40) count as U, the code for "
        "all others.\n"
    )
    assert answer(office)["findings"][0]["counts_as"] == "U"


def test_a_code_that_does_not_mean_unknown_is_for_few_other_rows(office: Office) -> None:
    """Known bad beside it: two rows in forty are a twentieth."""
    office.edit("codebook.yaml", ("codes: [F, M]}", "codes: [F, M], other: F}"))
    for few, ends in ((2, 0), (3, 4)):
        rows = renamed(workers()[:few], "sex", lambda _: "x") + workers()[few:]
        write_csv(office.folder / "workers.csv", rows)
        code, said = check(office)
        assert code == ends
    assert said.endswith("(3 of 40) count as F, the code for all others.\n")


def test_few_workplaces_without_a_listed_code_may_have_most_jobs(office: Office) -> None:
    """One workplace in six is little; its jobs are not."""
    office.edit("codebook.yaml", ("codes: [A, B]}", "codes: [A, B], unknown: U}"))
    for text, employed, said in (
        ("", 21, "52.5\N{NO-BREAK SPACE}% of the jobs (21 of 40 jobs) are of workplaces with no"),
        ("x", 3, "7.5\N{NO-BREAK SPACE}% of the jobs (3 of 40 jobs) are of workplaces with an unl"),
        ("", 20, "No problems"),
        ("x", 2, "No problems"),
    ):
        rows = workplaces()
        others = [row | {"workplace_id": f"{row['workplace_id']}{k}"} for k in range(30)
                  for row in rows]  # fmt: skip
        write_csv(
            office.folder / "workplaces.csv", [rows[0] | {"sector": text}, *rows[1:], *others]
        )
        placed = [row | {"workplace_id": "e0" if n < employed else "e1"} for n, row in
                  enumerate(jobs())]  # fmt: skip
        write_csv(office.folder / "jobs.csv", placed)
        code, last = check(office)
        assert code == (0 if said == "No problems" else 4), last
        if code:
            assert last.splitlines()[-1].startswith(said)
            assert last.endswith(" sector, and count as U.\n")
            assert answer(office)["losses"][-1 if text == "x" else -2]["counts_as"] == "U"


def test_jobs_of_several_quarters_in_one_table_count_once_more_and_say_so(office: Office) -> None:
    pay = "  pay: {table: jobs, type: integer, unit: cent, cap: 900000, classes: {a: '900000'}}\n"
    office.edit("codebook.yaml", ("  sex:", f"{pay}  sex:"))
    twice = [row | {"pay": str(90000 + k)} for k in range(2) for row in jobs()]
    write_csv(office.folder / "jobs.csv", twice)
    code, said = check(office)
    assert code == 4
    assert said.endswith(
        "\njobs.worker_id: 50.0\N{NO-BREAK SPACE}% of the rows (40 of 80) repeat worker and "
        "workplace, and count once more. Do the rows have several periods?\n"
    )


@pytest.mark.parametrize("jobs_of_each", [2, 3])
def test_jobs_above_a_limit_may_be_half_of_all(office: Office, jobs_of_each: int) -> None:
    """As where the key of workers is one of employers."""
    office.edit("plan.yaml", ("protect:", "jobs: {max_per_worker: 1}\nprotect:"))
    held = [row | {"workplace_id": f"e{k}"} for k in range(jobs_of_each) for row in jobs()]
    write_csv(office.folder / "jobs.csv", held)
    code, said = check(office)
    assert code == (4 if jobs_of_each == 3 else 0)
    if code:
        assert said.endswith(
            "(80 of 120) do not count, since other jobs of the same worker do. Is this the right "
            "key?\n"
        )


@pytest.mark.parametrize("few", [1, 3])
def test_nearly_all_numbers_in_one_class_ask_for_the_unit(office: Office, few: int) -> None:
    classes = "classes: {low: '50000', high: '900000'}"
    pay = f"  pay: {{table: jobs, type: integer, unit: cent per month, cap: 900000, {classes}}}\n"
    office.edit("codebook.yaml", ("  sex:", f"{pay}  sex:"))
    paid = [row | {"pay": "60000" if k < few else "600"} for k, row in enumerate(jobs())]
    write_csv(office.folder / "jobs.csv", paid)
    code, said = check(office)
    assert code == 0
    assert ("jobs.pay: number in the class low, 39 of 40 rows\n" in said) is (few == 1)
    assert ("  The codebook says cent per month: is it the unit" in said) is (few == 1)


def test_cents_with_a_fraction_are_no_cents(office: Office) -> None:
    pay = "  pay: {table: jobs, type: integer, unit: cent, cap: 900000, classes: {a: '900000'}}\n"
    office.edit("codebook.yaml", ("  sex:", f"{pay}  sex:"))
    paid = [row | {"pay": "900.55" if k < 3 else "90055"} for k, row in enumerate(jobs())]
    write_csv(office.folder / "jobs.csv", paid)
    code, said = check(office)
    assert code == 4
    assert "jobs.pay: number with a fraction, 3 of 40 rows (such as 900.55)\n" in said
    assert "  The codebook says cent: is it the unit of the column?" in said


def test_texts_that_are_nearly_codes_are_named_where_they_count_as_unknown(office: Office) -> None:
    office.edit("codebook.yaml", ("codes: [F, M]}", "codes: {'01': F, '02': M}, unknown: U}"))
    digits = {"F": "1", "M": "02"}
    write_csv(office.folder / "workers.csv", renamed(workers(), "sex", lambda one: digits[one]))
    code, said = check(office)
    assert code == 4
    assert "'1' differs from '01' by leading zeros or .0" in said
    assert "They count as the code that the codebook names with `unknown`." in said
    assert said.endswith("(20 of 40) count as U, the code for all others.\n")


def test_keys_that_repeat_in_very_many_rows_are_wrong_keys(office: Office) -> None:
    """As where a program has rounded ids to 1.2345e+08: repeated rows count once."""
    for name, rows in (("workers", workers()), ("jobs", jobs())):
        same = renamed(rows, "worker_id", lambda _: "1.2345e+08")
        write_csv(office.folder / f"{name}.csv", same)
    code, said = check(office)
    assert code == 4
    assert "workers.worker_id: 97.5\N{NO-BREAK SPACE}% of the rows (39 of 40) repeat the id" in said
    assert "jobs.worker_id: " in said.splitlines()[-1]
    assert said.endswith(
        " repeat another row and do not count. Do both keys say what they should?\n"
    )


@pytest.mark.parametrize(
    ("write", "hint"),
    [
        (lambda n: f"{n},100", "separators of thousands: write 9390.98, not 9,390.98"),
        (lambda n: f"{n}.100,50", "a decimal comma: write 1234.56, not 1.234,56"),
        (lambda n: f"{n}100,50", "a decimal comma: write 1234.56, not 1.234,56"),
        (lambda n: f"{n} 100", "separators of thousands"),
    ],
)
def test_numbers_as_people_write_them_are_named(
    office: Office, write: Callable[[int], str], hint: str
) -> None:
    pay = "  pay: {table: jobs, type: integer, unit: cent, cap: 900000, classes: {a: '900000'}}\n"
    office.edit("codebook.yaml", ("  sex:", f"{pay}  sex:"))
    write_csv(office.folder / "jobs.csv", [row | {"pay": write(1 + k % 9)} for k, row in
                                           enumerate(jobs())])  # fmt: skip
    code, said = check(office)
    assert code == 4
    assert f"  40 of them have {hint}" in said
    assert said.endswith(f"\nTables by pay lose every job: {NOISE} there.\n")


@pytest.mark.parametrize(
    ("write", "problem"),
    [
        (
            lambda n: f"{n}.100",
            "have a point, after which no digit counts. Is the unit right, or does",
        ),
        (lambda n: f"{n}00000", "have a number above the cap, and count as the cap. Is the unit"),
        (lambda n: f"-{n}", "have a number below low, and count as low. Are low and unit right?"),
    ],
)
def test_numbers_that_nobody_meant_are_too_many(
    office: Office, write: Callable[[int], str], problem: str
) -> None:
    pay = "  pay: {table: jobs, type: integer, unit: cent, cap: 90000, classes: {a: '90000'}}\n"
    office.edit("codebook.yaml", ("  sex:", f"{pay}  sex:"))
    paid = [row | {"pay": write(1 + k % 9)} for k, row in enumerate(jobs())]
    write_csv(office.folder / "jobs.csv", paid)
    code, said = check(office)
    assert code == 4
    assert f"(40 of 40) {problem}" in said.splitlines()[-1]


WAGES = "worker_id,workplace_id,quarter,earnings\n"
QUARTER = ("jobs", "wages.csv", "--quarter", "2026Q2", "--out", "q2.parquet")


def test_wages_that_make_no_job_are_counted(office: Office) -> None:
    rows = ['1,A,2026Q2,"9,390.98"', '2,A,2026Q2,"1,200.50"', "3,A,2026Q2,900", ",A,2026Q2,800",
            "5,A,2026Q1,none", "6,A,2026Q1,700", "7,A,2026Q2,1e15"]  # fmt: skip
    (office.folder / "wages.csv").write_text(WAGES + "\n".join(rows) + "\n")
    done = office.run(*QUARTER)
    assert done.exit_code == 4
    assert done.stdout.splitlines()[1:] == [
        "q2.parquet has 1 job of 2026Q2; only its owner may read it.",
        "It has no column flow: there are no wages of 2026Q3.",
        "left out: 1 of 5 records without an id of person or workplace",
        "  Give every record both ids.",
        "left out: 2 of 5 records without a number (such as 1,200.50, 9,390.98)",
        "  2 of them have separators of thousands: write 9390.98, not 9,390.98 "
        '(thousands="," in pandas.read_csv, gsub(",", "", x) in R).',
        "left out: 1 of 5 records with pay beyond 10^12 (such as 1e15)",
        "  Correct the pay, or give it in another unit.",
        "left out of 2026Q1: 1 of 2 records without a number (such as none)",
        "  Write the pay as a number such as 9390.98.",
        "2026Q2 loses 80.0\N{NO-BREAK SPACE}% of its records (4 of 5).",
        "2026Q1 loses 50.0\N{NO-BREAK SPACE}% of its records (1 of 2).",
    ]
    assert Path("q2.parquet").stat().st_mode & 0o777 == 0o600
    Path("q2.parquet").unlink()
    done = office.run(*QUARTER, "--most", "80%", "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert (told["jobs"], told["missing"], told["most"]) == (1, ["2026Q3"], "80%")
    assert [one["rows"] for one in told["left_out"]] == [1, 2, 1, 1]
    assert told["warnings"] == []


def test_wages_of_which_none_makes_a_job_say_so(office: Office) -> None:
    (office.folder / "wages.csv").write_text(f'{WAGES}1,A,2026Q2,"9,390.98"\n')
    done = office.run(*QUARTER)
    assert done.exit_code == 4
    assert done.stdout.endswith(f"\nEvery record of 2026Q2 is lost: {NOISE}.\n")


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ("1,A,2026Q2,0.45\n", f"Every record of 2026Q2 is lost: {NOISE}."),
        ("1,A,2026Q2,-700\n", f"Every record of 2026Q2 is lost: {NOISE}."),
        (
            "1,A,2026Q2,1.234\n",
            "100\N{NO-BREAK SPACE}% of the records of 2026Q2 (1 of 1) have a point, from which on "
            "their pay does not count.",
        ),
        (
            "01,A,2026Q1,9\n1,A,2026Q2,9\n01,A,2026Q3,9\n",
            "No job has pay in the quarters beside it: are ids the same texts in all quarters?",
        ),
    ],
)
def test_wages_that_make_no_job_or_the_wrong_one_say_so(
    office: Office, rows: str, last: str
) -> None:
    (office.folder / "wages.csv").write_text(WAGES + rows)
    done = office.run(*QUARTER)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (4, last)


def test_records_that_add_up_to_no_pay_are_lost(office: Office) -> None:
    rows = ["1,A,2026Q2,-700", "2,A,2026Q2,0", "3,A,2026Q2,500", "3,A,2026Q2,-500", "4,A,2026Q2,9"]
    (office.folder / "wages.csv").write_text(WAGES + "\n".join(rows) + "\n")
    done = office.run(*QUARTER)
    assert done.exit_code == 4
    assert "\nleft out: 4 of 5 records without pay above 0\n  A job has pay above 0" in done.stdout
    assert done.stdout.endswith("\n2026Q2 loses 80.0\N{NO-BREAK SPACE}% of its records (4 of 5).\n")


@pytest.mark.parametrize(("records", "ends"), [(50, 0), (51, 4)])
def test_an_id_of_very_many_records_is_no_person(office: Office, records: int, ends: int) -> None:
    rows = [f"999999999,A{k},2026Q2,900" for k in range(records)] + ["1,A,2026Q2,900"]
    (office.folder / "wages.csv").write_text(WAGES + "\n".join(rows) + "\n")
    done = office.run(*QUARTER)
    assert done.exit_code == ends
    if ends:
        assert (
            "\ncounted: 51 of 52 records of a person with more than 50 (such as 999999999)\n"
            "  Does this id mean that none is known?" in done.stdout
        )
        assert done.stdout.endswith(
            "of the records of 2026Q2 (51 of 52) have ids of persons with far too many records.\n"
        )


@pytest.mark.parametrize(("linked", "said"), [(4, "Only 40.0\N{NO-BREAK SPACE}% of jobs"), (5, "")])
def test_few_jobs_with_pay_in_the_quarters_beside_them_are_noticed(
    office: Office, linked: int, said: str
) -> None:
    rows = [f"{k:02},A,2026Q2,900" for k in range(10)]
    rows += [f"{k if k >= linked else f'{k:02}'},A,2026Q{q},900" for k in range(10) for q in (1, 3)]
    (office.folder / "wages.csv").write_text(WAGES + "\n".join(rows) + "\n")
    done = office.run(*QUARTER)
    assert done.exit_code == (4 if said else 0)
    assert done.stdout.splitlines()[-1].startswith(said or "q2.parquet has 10 jobs")


def test_ids_with_zeros_are_the_same_establishments_in_another_account(office: Office) -> None:
    plain = renamed(workplaces(), "workplace_id", lambda one: one[1:])
    write_csv(office.folder / "workplaces.csv", plain)
    write_csv(office.folder / "jobs.csv", renamed(jobs(), "workplace_id", lambda one: one[1:]))
    office.released()
    office.open_account("second")
    office.edit("plan.yaml", ("account: office", "account: second"))
    for form in (lambda one: f"{one}.0", lambda one: f"000{one}"):
        write_csv(office.folder / "workplaces.csv", renamed(plain, "workplace_id", form))
        refused = office.run("release", "plan.yaml", "--out", "b", "--ledger", "ledger.sqlite",
                             *UNCHECKED)  # fmt: skip
        assert refused.exit_code == 1
        assert "more than half in common with entry 2 of account 'office'" in refused.stderr
    office.released("--same-establishments", "another register", out="b")
    shown = office.run("ledger", "show", "--json").stdout
    assert "plain_frame" not in shown
