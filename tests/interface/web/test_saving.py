"""Saving: what is written reads back as what was shown, in one folder, and nothing else changes."""

import os
import socket
import time
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from urllib.parse import urlencode

import pytest

from leeward.interface.web.guard import FORM
from leeward.interface.web.plan_form import DraftTable
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.request import WrittenJobs
from tests.interface.web.drafts import Parts, draft, form
from tests.interface.web.serving import Served


def contents(folder: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_a_saved_plan_is_the_request_that_was_shown(page: Served, plan: Path) -> None:
    sent = draft(plan).with_text("protect.epsilon", "5/2").with_text("period", "2026Q3")
    sent = sent.with_text("jobs.rule", "max_per_worker").with_text("jobs.max_per_worker", "2")
    limited = sent.with_text("jobs.per", "years").request(read_plan(plan).request)[0]
    assert limited is not None
    assert limited.jobs == WrittenJobs(max_per_worker="2", per="years")
    table = DraftTable("new", ("education", "sector"), share="0.10", mechanism="clipped")
    share = replace(sent.tables[1], share="3/20")
    sent = replace(sent, tables=(sent.tables[0], share, sent.tables[2], table))
    before = set(contents(plan.parent))
    answer = page.post("/plan/save", form(sent, ("file", "next.yaml")))
    assert answer.status == 200
    saved = plan.parent / "next.yaml"
    assert set(contents(plan.parent)) - before == {str(saved)}
    shown = Parts(answer.text)
    assert shown.text("saved") == str(saved)
    assert f"leeward check {saved} leeward release {saved} --out " in shown.text("commands")
    request, loaded = read_plan(saved).request, read_plan(plan).request
    assert request == sent.request(loaded)[0]
    assert (request.data, request.codebook) == (loaded.data, loaded.codebook)
    assert (request.protect.epsilon, request.period) == ("5/2", "2026Q3")
    assert [one.name for one in request.tables] == ["by_sector", "by_sex", "men", "new"]
    assert request.tables[2].where == {"sex": "M", "education": ["E1", "E2"]}
    assert request.tables[3].by == ["education", "sector"]


def test_the_saved_plan_is_the_one_that_is_loaded_next(page: Served, plan: Path) -> None:
    sent = draft(plan).with_text("protect.epsilon", "3.3")
    ticked = form(sent, ("file", plan.name), ("replace", "yes"))
    assert page.post("/plan/save", ticked).status == 200
    assert Parts(page.get("/plan").text).values("protect.epsilon") == ["3.3"]
    assert read_plan(plan).request.protect.epsilon == "3.3"


def test_nothing_is_replaced_unasked(page: Served, plan: Path) -> None:
    before = contents(plan.parent)
    answer = page.post("/plan/save", form(draft(plan), ("file", plan.name)))
    assert answer.status == 422
    assert "must be new, or the box ticked" in Parts(answer.text).text("save-answer")
    assert contents(plan.parent) == before


NAMES = [
    *("", "..", "../plan.yaml", "/etc/x.yaml", "a/b.yaml", ".hidden.yaml", "-x.yaml", "x.txt"),
    *("x\n.yaml", "x\x00.yaml", "a b.yaml", "codebook.yaml"),
]


@pytest.mark.parametrize("name", NAMES)
def test_only_plain_names_in_the_folder_of_the_plan_are_written(
    page: Served, plan: Path, name: str
) -> None:
    before, beside = contents(plan.parent), sorted(plan.parent.parent.iterdir())
    answer = page.post("/plan/save", form(draft(plan), ("file", name), ("replace", "yes")))
    assert contents(plan.parent) == before
    assert sorted(plan.parent.parent.iterdir()) == beside
    assert answer.status == 422
    assert "must" in Parts(answer.text).text("save-answer")


@pytest.mark.parametrize("key", ["codebook", "sizes"])
def test_what_the_plan_reads_from_is_never_written(page: Served, plan: Path, key: str) -> None:
    source = plan.parent / f"{key}.yaml"
    if key == "sizes":
        source.write_text("largest,cells\n10,1\n")
        plan.write_text(f"sizes: {source.name}\n" + plan.read_text())
    os.link(source, plan.parent / "alias.yaml")
    before = contents(plan.parent)
    for name in (source.name, "alias.yaml"):
        answer = page.post("/plan/save", form(draft(plan), ("file", name), ("replace", "yes")))
        assert "must not be a file that the plan reads from" in answer.text
    assert contents(plan.parent) == before


def test_a_plan_that_is_refused_is_not_saved(page: Served, plan: Path) -> None:
    before = contents(plan.parent)
    sent = draft(plan).with_text("protect.epsilon", "0.1")
    answer = page.post("/plan/save", form(sent, ("file", "bad.yaml")))
    assert answer.status == 422
    assert "must be a plan that is accepted" in Parts(answer.text).text("save-answer")
    assert contents(plan.parent) == before


def test_a_link_is_not_followed(
    page: Served, plan: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "victim.yaml"
    (plan.parent / "link.yaml").symlink_to(outside)
    answer = page.post("/plan/save", form(draft(plan), ("file", "link.yaml"), ("replace", "yes")))
    assert answer.status == 422
    assert not outside.exists()


def test_the_paths_of_a_form_are_not_those_of_the_plan(page: Served, plan: Path) -> None:
    before = read_plan(plan).request
    more = [("data.workplaces", "/etc/passwd"), ("codebook", "/etc/passwd"), ("sizes", "x")]
    assert page.post("/plan/save", form(draft(plan), *more, ("file", "b.yaml"))).status == 200
    assert read_plan(plan.parent / "b.yaml").request == before


def test_a_new_plan_is_readable_as_other_files_are(page: Served, plan: Path) -> None:
    mask = os.umask(0o027)
    try:
        page.post("/plan/save", form(draft(plan), ("file", "b.yaml"), ("replace", "yes")))
        assert (plan.parent / "b.yaml").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(mask)


def test_a_get_never_saves(page: Served, plan: Path) -> None:
    before = contents(plan.parent)
    assert page.get("/plan/save?file=b.yaml&replace=yes").status == 405
    assert page.get("/plan?action=save&file=b.yaml").status == 200
    assert contents(plan.parent) == before


def test_a_text_that_reads_back_as_another_plan_is_not_saved(
    page: Served, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(plan.parent)
    other = plan.read_text().replace("2026Q2", "2026Q9")
    monkeypatch.setattr("leeward.interface.web.saving.written", lambda _: other)
    answer = page.post("/plan/save", form(draft(plan), ("file", "b.yaml")))
    assert answer.status == 422
    assert "must read back as the plan that is shown" in answer.text
    assert contents(plan.parent) == before


def test_a_form_that_breaks_off_is_not_saved(page: Served, plan: Path) -> None:
    """A browser that dies in the middle has not asked for half of the tables."""
    fields = form(draft(plan), ("more", "x" * 100))
    sent = urlencode([("file", "cut.yaml"), *fields]).encode()
    head = (
        f"POST {page.site.base}/plan/save HTTP/1.1\r\nHost: {page.host}\r\n"
        f"Origin: http://{page.host}\r\nContent-Type: {FORM}\r\n"
    )
    for length in ("Content-Length: {}\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n{:x}\r\n"):
        with socket.create_connection(("127.0.0.1", page.site.port)) as line:
            line.sendall((head + length.format(len(sent))).encode() + sent[:-50])
            time.sleep(0.2)  # the server has begun to read
        assert page.get("/plan").status == 200
    time.sleep(0.5)
    assert not (plan.parent / "cut.yaml").exists()


def test_a_pipe_is_not_written_to(page: Served, plan: Path) -> None:
    os.mkfifo(plan.parent / "pipe.yaml")
    answer = page.post("/plan/save", form(draft(plan), ("file", "pipe.yaml"), ("replace", "yes")))
    assert answer.status == 422
    assert "must be a plain file" in answer.text
    assert (plan.parent / "pipe.yaml").is_fifo()


def test_a_draft_that_cannot_be_written_is_not_left_behind(
    page: Served, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(plan.parent)

    def fail(_: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("leeward.interface.web.saving.os.fsync", fail)
    answer = page.post("/plan/save", form(draft(plan), ("file", "b.yaml")))
    assert answer.status == 422
    assert "No space left" in answer.text
    assert contents(plan.parent) == before


def test_only_a_plan_is_replaced(page: Served, plan: Path) -> None:
    """A list of codes, the codebook of another plan and the files of others have such names too."""
    (plan.parent / "codes.yaml").write_text("code,label\nA,b\n")
    (plan.parent / "other.yml").write_text((plan.parent / "codebook.yaml").read_text())
    (plan.parent / "earlier.yaml").write_text(plan.read_text().replace("2026Q2", "2026Q1"))
    before = contents(plan.parent)
    for name in ("codes.yaml", "other.yml"):
        answer = page.post("/plan/save", form(draft(plan), ("file", name), ("replace", "yes")))
        assert answer.status == 422
        assert "must be a plan if it is replaced" in Parts(answer.text).text("save-answer")
    assert contents(plan.parent) == before
    ticked = form(draft(plan), ("file", "earlier.yaml"), ("replace", "yes"))
    assert page.post("/plan/save", ticked).status == 200
    assert read_plan(plan.parent / "earlier.yaml").request == read_plan(plan).request
