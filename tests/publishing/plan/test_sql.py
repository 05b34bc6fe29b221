"""SQL in plans and explanations: 34 statements with their verdicts, and what is never ignored."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.codebook import Codebook, EveryJob, read_codebook
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.privacy import Guarantee
from leeward.publishing.plan.explanation import Asked, Cost, Explanation, explain
from tests.publishing.plans import planned

BOOK = """\
attributes:
  place: {table: workplaces, public: true, codes: ["0300001", "0300002", "0300003"]}
  sector: {table: workplaces, public: true, codes: [A, B]}
  ownership: {table: workplaces, public: true, codes: [P, G]}
  parent: {table: workplaces, public: false, codes: [x, y]}
  sex: {table: workers, codes: [F, M]}
  age: {table: workers, codes: [A01, A02, A03]}
  education: {table: workers, codes: [E1, E2, E3, E4]}
"""
CAPPED = """\
  earnings: {table: jobs, type: integer, unit: dollars, low: 0, cap: 1000, cap_from: a law,
             classes: {C1: 100, C2: 1000}}
"""
COUNTED = "SELECT COUNT(*) FROM jobs"
WITH = "FROM jobs JOIN workers USING (worker_id) JOIN workplaces USING (workplace_id)"
VERDICTS = {
    "SELECT COUNT(*) FROM jobs": ("accepted", "workplace table"),
    f"SELECT place, sector, ownership, COUNT(*) {WITH} GROUP BY place, sector, ownership": (
        "accepted",
        "workplace table",
    ),
    "SELECT sector, COUNT(*) FROM jobs WHERE place = '0300001' GROUP BY 1": (
        "accepted",
        "workplace table",
    ),
    f"SELECT place, sex, education, COUNT(*) {WITH} GROUP BY place, sex, education": (
        "accepted",
        "worker table",
    ),
    "SELECT sex, COUNT(*) FROM jobs GROUP BY sex": ("accepted", "worker table"),
    "SELECT COUNT(*) FROM jobs WHERE sex = 'M' AND age IN ('A01', 'A02')": (
        "accepted",
        "worker table",
    ),
    "SELECT sector, COUNT(*) FROM jobs WHERE sex = 'F' GROUP BY sector": (
        "accepted",
        "worker table",
    ),
    "SELECT sector, sex, COUNT(*) FROM jobs WHERE sex IN ('M', 'F') GROUP BY sector, sex": (
        "accepted",
        "worker table",
    ),
    "SELECT sector, COUNT(*) FROM workplaces GROUP BY sector": ("public", "frame of workplaces"),
    "SELECT COUNT(*) FROM jobs WHERE earnings > 100000": ("refused", "attribute = 'code'"),
    "SELECT workplace_id, COUNT(*) FROM jobs GROUP BY workplace_id": (
        "refused",
        "must not name establishments",
    ),
    "SELECT COUNT(DISTINCT worker_id) FROM jobs": ("refused", "distinct persons"),
    "SELECT DISTINCT sector FROM jobs": ("refused", "which combinations occur"),
    "SELECT AVG(earnings) FROM jobs": ("refused", "numeric column"),
    "SELECT SUM(earnings) FROM jobs": ("refused", "numeric column"),
    "SELECT MAX(earnings) FROM jobs": ("refused", "the whole range"),
    "SELECT sector, COUNT(*) FROM jobs GROUP BY sector HAVING COUNT(*) > 10": (
        "refused",
        "true counts",
    ),
    "SELECT sector, COUNT(*) FROM jobs GROUP BY sector ORDER BY 2 LIMIT 10": ("refused", "order"),
    "SELECT COUNT(*) FROM jobs a JOIN jobs b USING (worker_id)": ("refused", "multiplies rows"),
    "SELECT COUNT(*) FROM jobs JOIN workers ON jobs.worker_id = workers.employer_id": (
        "refused",
        "many times",
    ),
    "SELECT sector, COUNT(*) FROM workplaces LEFT JOIN jobs USING (workplace_id) GROUP BY sector": (
        "refused",
        "inner join",
    ),
    "SELECT COUNT(*) FROM jobs WHERE worker_id = '42'": ("refused", "must not name persons"),
    "SELECT COUNT(*) FROM jobs WHERE sex = 'F' OR age = 'A01'": ("refused", "product of code"),
    "SELECT n, COUNT(*) FROM (SELECT COUNT(*) n FROM jobs GROUP BY sector) t GROUP BY n": (
        "refused",
        "statements inside",
    ),
    "SELECT COUNT(*) OVER (PARTITION BY sector) FROM jobs": ("refused", "windows"),
    "SELECT sector, COUNT(*) FROM jobs GROUP BY ROLLUP (sector)": ("refused", "totals"),
    "SELECT upper(sector), COUNT(*) FROM jobs GROUP BY upper(sector)": ("refused", "functions"),
    "SELECT parent, COUNT(*) FROM jobs GROUP BY parent": ("refused", "private attribute"),
    "SELECT COUNT(*) FROM jobs WHERE sex = 'female'": ("refused", "codes of the codebook"),
    "DELETE FROM jobs": ("refused", "only read"),
    "SELECT random(), COUNT(*) FROM jobs": ("refused", "random numbers"),
    "SELECT COUNT(*) FROM jobs, workers": ("refused", "key columns"),
    "SELECT COUNT(*) FROM jobs UNION SELECT COUNT(*) FROM jobs": ("refused", "put together"),
    "WITH t AS (SELECT 1) SELECT COUNT(*) FROM jobs": ("refused", "WITH"),
}
"""The table of the design: every statement with its verdict, and words of the reason."""

NEVER_IGNORED = [
    "SELECT COUNT(*) FROM jobs TABLESAMPLE 10%",
    "SELECT COUNT(*) FROM jobs USING SAMPLE 10",
    "SELECT COUNT(*) INTO x FROM jobs",
    "SELECT COUNT(*) FROM jobs FOR UPDATE",
    "SELECT COUNT(*) FROM other.jobs",
    "SELECT sector, COUNT(*) FROM jobs GROUP BY sector ORDER BY sector",
    "SELECT COUNT(sex) FROM jobs",
    "SELECT COUNT(*) FROM jobs LIMIT 1",
    "SELECT COUNT(*) FROM jobs OFFSET 1",
    "SELECT sex, sex, COUNT(*) FROM jobs GROUP BY sex",
    "SELECT sex, COUNT(*) FROM jobs GROUP BY sex, sex",
    "SELECT COUNT(*) FROM jobs WHERE sex IN ('F', 'F')",
    "SELECT COUNT(*) FROM jobs WHERE sex = 'F' AND sex = 'M'",
    "SELECT COUNT(*) FROM jobs WHERE sex NOT IN ('F')",
    "SELECT COUNT(*) FROM jobs WHERE sex IN (SELECT sex FROM workers)",
    "SELECT COUNT(*) FROM jobs WHERE 'F' = sex",
    "SELECT COUNT(*) FROM jobs WHERE place = 300001",
    "SELECT COUNT(*) FROM jobs QUALIFY TRUE",
    "SELECT COUNT(*) FILTER (WHERE sex = 'F') FROM jobs",
    "SELECT COUNT(*) AS n FROM jobs",
    "SELECT COUNT(*), COUNT(*) FROM jobs",
    "SELECT sex FROM jobs GROUP BY sex",
    "SELECT sex, COUNT(*) FROM jobs",
    "SELECT COUNT(*) FROM jobs GROUP BY sex",
    "SELECT COUNT(*) FROM jobs GROUP BY ALL",
    "SELECT COUNT(*) / 2 FROM jobs",
    "SELECT * FROM jobs",
    "SELECT COUNT(*) FROM workers",
    "SELECT COUNT(*) FROM jobs NATURAL JOIN workers",
    "SELECT COUNT(*) FROM jobs CROSS JOIN workers",
    "SELECT COUNT(*) FROM workers JOIN workplaces USING (worker_id)",
    "SELECT workplaces.sex, COUNT(*) FROM jobs JOIN workplaces USING (workplace_id) GROUP BY 1",
    "SELECT w.sex, COUNT(*) FROM jobs GROUP BY w.sex",
    "SELECT COUNT(*) FROM jobs AS j(a, b)",
    "SELECT COUNT(*) FROM 'jobs.parquet'",
    "SELECT COUNT(*) FROM read_csv('jobs.csv')",
    "SELECT MEDIAN(earnings) FROM jobs",
    "SELECT sex, COUNT(*) FROM workplaces GROUP BY sex",
    "PRAGMA database_list",
    "COPY jobs TO 'x'",
    "EXPLAIN SELECT COUNT(*) FROM jobs",
    "SELECT COUNT(*) FROM jobs WHERE " + "(" * 5000 + "sex = 'F'" + ")" * 5000,
    "SELECT COUNT(*) FROM jobs WHERE sex = '" + "F" * 10**6 + "'",
    "not sql",
    "SELECT",
]
"""Statements with one clause more, or less, than the subset has."""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Codebook:
    return written(tmp_path_factory.mktemp("book"), BOOK)


def written(folder: Path, text: str) -> Codebook:
    (folder / "codebook.yaml").write_text(text)
    return read_codebook(folder / "codebook.yaml")


def asked(book: Codebook, policy: str = "strong") -> Asked:
    alpha = "0.1" if policy == "strong" else None
    return Asked(book, Guarantee(policy, alpha, 1), EveryJob())


def told(sql: str, book: Codebook) -> Explanation:
    (one,), _ = explain(sql, asked(book))
    return one


@pytest.mark.parametrize("sql", VERDICTS)
def test_the_verdicts_of_the_design(sql: str, book: Codebook) -> None:
    verdict, words = VERDICTS[sql]
    found = told(sql, book)
    assert found.verdict == verdict
    assert words in found.reason
    assert (found.next_step != "") == (verdict != "accepted")
    assert len(found.steps) == (5 if verdict == "accepted" else 0)


@pytest.mark.parametrize("sql", NEVER_IGNORED, ids=lambda sql: sql[:60])
def test_what_is_not_known_is_refused(
    sql: str, book: Codebook, capfd: pytest.CaptureFixture[str]
) -> None:
    found = told(sql, book)
    assert found.verdict == "refused"
    assert len(found.reason) < 500
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "sql",
    [
        "select SEX, count(*) from JOBS j join workers w on w.worker_id = j.worker_id group by sex",
        'SELECT "sex", COUNT(*) FROM workers JOIN jobs USING (worker_id) GROUP BY workers.sex;',
        "SELECT sex, COUNT(*) FROM jobs INNER JOIN workers USING (worker_id) GROUP BY 1 -- by sex",
    ],
)
def test_the_same_table_in_other_words(sql: str, book: Codebook) -> None:
    found = told(sql, book).selected
    assert found is not None
    assert (found.by, dict(found.where), found.statistic) == (("sex",), {}, "count")


def test_a_name_in_quotes_keeps_its_case(book: Codebook) -> None:
    assert told('SELECT "SEX", COUNT(*) FROM jobs GROUP BY "SEX"', book).verdict == "refused"


@pytest.mark.parametrize(("sql", "statistic"), [("AVG", "mean"), ("SUM", "payroll")])
def test_with_a_cap_pay_is_accepted(tmp_path: Path, sql: str, statistic: str) -> None:
    found = told(
        " ".join(("SELECT", f"{sql}(earnings)", "FROM jobs")), written(tmp_path, BOOK + CAPPED)
    )
    assert found.verdict == "accepted"
    assert found.as_json()["table"] == {
        "by": [], "where": {}, "statistic": statistic, "of": "earnings",
    }  # fmt: skip
    assert found.as_json()["sensitivity"] == {"worker": 1000, "establishment": 10_000}


def test_keys_have_the_names_of_the_codebook(tmp_path: Path) -> None:
    keys = "tables: {workers: {id: pid}, jobs: {worker: person}}\n"
    book = written(tmp_path, keys + BOOK)
    on = "SELECT COUNT(*) FROM jobs JOIN workers ON jobs.{} = workers.{}"
    assert told(on.format("person", "pid"), book).verdict == "accepted"
    assert told(on.format("pid", "person"), book).verdict == "refused"
    using = "SELECT COUNT(*) FROM jobs JOIN workers USING ({})"
    assert [told(using.format(one), book).verdict for one in ("pid", "person")] == ["refused"] * 2


LECTURE = [
    COUNTED,
    "SELECT COUNT(*) FROM jobs WHERE sex = 'M'",
    "SELECT COUNT(*) FROM jobs WHERE sex = 'F'",
    "SELECT COUNT(*) FROM jobs WHERE age IN ('A02', 'A03')",
]
SPENT = [Fraction(one) for one in ("0.5", "0.2", "0.25", "0.25")]


def together(statements: list[str], spent: list[Fraction], asked: Asked) -> Cost:
    _, cost = explain(statements, asked, spent)
    assert cost is not None
    return cost


def test_the_lecture_s_four_queries(book: Codebook) -> None:
    """1.0 is right for one job alone: an establishment has men and women."""
    worker = together(LECTURE, SPENT, asked(book, "worker"))
    strong = together(LECTURE, SPENT, asked(book))
    assert worker == replace(worker, sequential=Fraction("1.2"), together=Fraction(1))
    assert strong == replace(strong, sequential=Fraction("1.2"), together=Fraction("1.2"))
    assert worker.as_one_table is None
    assert strong.as_one_table == 1


def test_places_that_exclude_each_other_cost_the_maximum(book: Codebook) -> None:
    three = ["'0300001', '0300002'", "'0300002', '0300003'", "'0300003', '0300001'"]
    queries = [COUNTED + f" WHERE place IN ({one})" for one in three]
    each = [Fraction(one) for one in (1, 2, 4)]
    assert together(queries, each, asked(book)).together == 6  # each two share a place
    alone = [COUNTED + f" WHERE place = '030000{n}'" for n in (1, 2, 3)]
    assert together(alone, each, asked(book)).together == 4


def test_a_plan_with_sql_is_the_plan_written_by_hand(tmp_path: Path) -> None:
    sql = (
        "SELECT place, COUNT(*) FROM jobs JOIN workers USING (worker_id) WHERE sex = 'F' "
        "GROUP BY place"
    )
    more = "share: 1, complete: true"
    by_sql = planned(tmp_path, f'{{name: women, sql: "{sql}", {more}}}')
    hand = planned(tmp_path, f"{{name: women, by: [place], where: {{sex: [F]}}, {more}}}")
    assert by_sql.digest == hand.digest
    assert by_sql.request == hand.request
    assert "SELECT" not in str(by_sql.request.public())


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('sql: "SELECT COUNT(*) FROM jobs", by: [place]', "must stand alone"),
        ('sql: "SELECT COUNT(*) FROM jobs; SELECT COUNT(*) FROM jobs"', "one SELECT statement"),
        ('sql: "SELECT COUNT(*) FROM workplaces"', "establishments: true"),
        ('sql: ""', "one SELECT statement"),
        ("share: 1", "must be given"),
    ],
)
def test_plans_that_say_too_much_or_too_little(tmp_path: Path, table: str, words: str) -> None:
    with pytest.raises(LeewardError, match=words):
        planned(tmp_path, f"{{name: t, {table}}}")


def test_the_number_of_epsilons_is_that_of_the_statements(book: Codebook) -> None:
    with pytest.raises(InvalidParameter, match="once for each"):
        explain(LECTURE, asked(book), SPENT[:2])
