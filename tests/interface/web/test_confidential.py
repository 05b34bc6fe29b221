"""The page opens no data: the three tables of its plan are pipes, on which every reader shows."""

import os
from collections.abc import Iterator
from errno import ENXIO
from pathlib import Path

import pytest

from leeward.publishing.plan.plan import read_plan
from tests.interface.web.drafts import draft, form
from tests.interface.web.serving import Served

QUESTIONS = ("add", "aim", "use", "compute", "remove:0")


def readers(pipes: list[Path]) -> list[str]:
    """The pipes that somebody has opened to read: only then can one be opened to write."""
    found = []
    for pipe in pipes:
        try:
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno != ENXIO:
                raise
        else:
            found.append(pipe.name)
    return found


@pytest.fixture
def pipes(plan: Path) -> Iterator[list[Path]]:
    """The data of the plan as pipes; whoever reads from one waits, and is seen."""
    data = read_plan(plan).request.data
    made = sorted({plan.parent / one for one in (data.workplaces, data.workers, data.jobs)})
    for pipe in made:
        os.mkfifo(pipe)
    yield made
    assert readers(made) == []


def test_nothing_that_the_page_can_be_asked_opens_the_data(
    page: Served, plan: Path, pipes: list[Path]
) -> None:
    sent = form(draft(plan), ("aim.table", "by_sector"), ("aim.error", "5"))
    answers = [page.get(tab) for tab in ("/plan", "/releases", "/ledger", "/comparison")]
    answers += [page.post("/plan", [*sent, ("action", action)]) for action in QUESTIONS]
    answers += [page.post("/plan/preview", sent)]
    answers += [page.post("/plan/save", [*sent, ("file", "next.yaml")])]
    assert {answer.status for answer in answers} <= {200, 422}
    assert read_plan(plan.parent / "next.yaml").request.data == read_plan(plan).request.data
    assert readers(pipes) == []


def test_a_reader_is_seen(tmp_path: Path) -> None:
    pipe = tmp_path / "jobs.parquet"
    os.mkfifo(pipe)
    assert readers([pipe]) == []
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert readers([pipe]) == ["jobs.parquet"]
    os.close(reading)
