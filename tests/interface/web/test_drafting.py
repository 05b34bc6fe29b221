"""A plan drafted from headers, by a process of its own; names come from the folder alone."""

import os
from pathlib import Path

import pytest

from leeward.interface.web import drafting
from leeward.publishing.plan.plan import read_plan
from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import serving

FILES = [("workplaces", "betriebe.csv"), ("workers", "people.csv"), ("jobs", "jobs.csv")]
CHOSEN = [*FILES, ("account", "office"), ("period", "2026Q2")]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "betriebe.csv").write_text("workplace_id,sector\n1,11\n")
    (folder / "people.csv").write_text("worker_id,sex\n1,M\n")
    (folder / "jobs.csv").write_text("worker_id,workplace_id\n1,1\n")
    (folder / ".hidden.csv").write_text("x")
    (folder / "notes.md").write_text("x")
    (folder / "link.csv").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.csv")
    return folder


def test_a_plan_is_drafted_once(tmp_path: Path, tables: Path) -> None:
    plan = tmp_path / "plan.yaml"
    assert drafting.files_of(tables) == ("betriebe.csv", "jobs.csv", "people.csv")
    with serving(plan, tmp_path, tables=tables) as page:
        asked = page.get("/plan")
        wrong = [*FILES[:2], ("jobs", "../plan.yaml")]
        refused = page.post("/plan/draft", wrong)
        unstated = page.post("/plan/draft", [*FILES, ("period", "2026Q2")])
        assert not plan.exists()
        drafted = page.post("/plan/draft", CHOSEN)
        again = page.post("/plan/draft", CHOSEN)
        shown = page.get("/plan")
    assert sum("selected" in one for one in Markup(asked.text).all("option")) == len(FILES)
    assert "must be a file of the folder of tables" in Markup(refused.text).plain
    assert unstated.status == 422
    assert "must be given: a plan names its account" in Markup(unstated.text).plain
    assert 'value="2026Q2"' in unstated.text
    assert drafted.status == 200
    assert "codebook.yaml" in Markup(drafted.text).plain
    assert "workers.id: worker_id (by its name)" in Markup(drafted.text).plain
    assert str(read_plan(plan).request.data.workers).endswith("tables/people.csv")
    assert again.status == 400
    assert 'value="jobs"' in shown.text


@pytest.mark.parametrize("planted", ["typer.py", "leeward.py", "json.py"])
def test_no_code_of_the_folder_runs(
    tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    """Known bad: `python -m`, which looks for modules in the working folder first."""
    mark = tmp_path / "it ran"
    (tables / planted).write_text(f"open({str(mark)!r}, 'w').close()\nraise SystemExit(3)\n")
    monkeypatch.chdir(tables)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with serving(tmp_path / "plan.yaml", tmp_path, tables=tables) as page:
        drafted = page.post("/plan/draft", CHOSEN)
    assert not mark.exists()
    assert drafted.status == 200


def test_what_init_says_is_shown(tmp_path: Path, tables: Path) -> None:
    (tables / "people.csv").write_text("")
    with serving(tmp_path / "plan.yaml", tmp_path, tables=tables) as page:
        answer = page.post("/plan/draft", CHOSEN)
        elsewhere = page.post("/plan/draft", CHOSEN, Origin="http://example.org")
    assert answer.status == 422
    assert "leeward:" in Markup(answer.text).plain
    assert elsewhere.status == 403
