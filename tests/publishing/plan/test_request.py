"""Requests written as plan files: plain to read, and the same when they are read back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.publishing.plan.request import (
    Request,
    WrittenData,
    WrittenJobs,
    WrittenProtection,
    WrittenTable,
    read_request,
    written,
)

DATA = {"workplaces": "w.parquet", "workers": "p.parquet", "jobs": "j.parquet"}
PLAIN = """\
data:
  workplaces: w.parquet
  workers: p.parquet
  jobs: j.parquet
codebook: codebook.yaml
account: lodes
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 1/3}
jobs: {max_per_worker: 2}
sizes: sizes.csv
tables:
  - {name: a, by: [place, sector], where: {age: [01, NO], sex: F}, share: 1/2, complete: true}
  - {name: b, by: [place], share: 0.50, margins: none, mechanism: slope}
"""


def again(text: str, folder: Path) -> Request | None:
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    request, problems = read_request(path)
    return None if problems else request


def test_a_plan_is_written_as_people_write_it(tmp_path: Path) -> None:
    request = again(PLAIN, tmp_path)
    assert request is not None
    assert written(request) == PLAIN


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", " ", "~", "null", "yes", "01", "1e3", "a: b", "- a", "[a", "#x", "a #b", "'", '"', "\n",
     "\ufeff", "\x85", "\u2028", "%a", "@a", "`a", "!a", "&a", "*a", "a,b", "{", "}", "a\tb", "…"]
)  # fmt: skip
tables = st.builds(
    WrittenTable,
    name=texts,
    by=st.lists(texts, max_size=4),
    where=st.dictionaries(texts, texts | st.lists(texts, max_size=3), max_size=2),
    share=st.none() | texts,
    margins=st.none() | texts,
    mechanism=texts,
    complete=st.booleans(),
)
requests = st.builds(
    Request,
    data=st.builds(WrittenData, workplaces=texts, workers=texts, jobs=texts, memory=texts),
    codebook=texts,
    account=texts,
    period=texts,
    protect=st.builds(WrittenProtection, policy=texts, alpha=st.none() | texts, epsilon=texts),
    jobs=st.none() | st.builds(WrittenJobs, primary=st.none() | texts),
    sizes=st.none() | texts,
    tables=st.lists(tables, min_size=1, max_size=3),
)


@given(request=requests)
def test_whatever_is_written_reads_back_as_the_same(
    request: Request, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert again(written(request), tmp_path_factory.getbasetemp()) == request


def test_a_long_table_is_broken_into_lines_that_read_back(tmp_path: Path) -> None:
    request = Request(
        data=WrittenData(**DATA),
        codebook="c.yaml",
        account="a",
        period="b",
        protect=WrittenProtection(policy="worker", epsilon="1"),
        tables=[WrittenTable(name="t", by=[f"attribute {n} of many" for n in range(30)])],
    )
    text = written(request)
    assert max(map(len, text.splitlines())) < 130
    assert again(text, tmp_path) == request
