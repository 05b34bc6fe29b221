"""Outputs beside bundles on the tab Releases: with their charge, verified, never internal."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from leeward.interface.web.releases_outputs import shelf, verified
from tests.interface.web.outputs_scene import write_outputs
from tests.interface.web.releases_scene import Markup, write_small
from tests.interface.web.serving import Served, serving

SYNTHETIC = '{"kind": "synthetic", "created": "2026-01-02T03:04:05+00:00", "guarantee": '


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic table, a regression, a survey's result; the first two internal too."""
    folder = tmp_path_factory.mktemp("outputs")
    write_outputs(folder)
    write_small(folder / "releases" / "tables")
    return folder


@pytest.fixture
def page(office: Path) -> Iterator[Served]:
    with serving(releases=office / "releases", ledger=office / "ledger.sqlite") as up:
        yield up


def test_charged_outputs_are_listed_and_internal_ones_counted(page: Served) -> None:
    told = Markup(page.get("/releases").text).plain
    assert "1 bundle in" in told
    for line in ("people synthetic table", "lines regression", "council survey result"):
        assert line in told
    assert "account office, entry" in told
    assert "-inside" not in told
    assert "2 outputs of the folder are INTERNAL" in told


def test_an_internal_output_has_no_page_and_no_file(page: Served) -> None:
    for name in ("people-inside", "lines-inside"):
        for part in ("", "/verification", "/files/estimates.csv", "/files/synthetic.csv"):
            assert page.get(f"/outputs/{name}{part}").status == 400
        assert page.get(f"/releases/{name}").status == 400


@pytest.mark.parametrize("name", ["people", "lines", "council"])
def test_an_output_is_verified_as_the_command_does(page: Served, name: str) -> None:
    told = Markup(page.get(f"/outputs/{name}/verification").text).plain
    assert "Sound. Every file is the one that was sealed." in told
    assert ("The ledger confirms the entry" in told) is (name != "council")


def test_a_changed_output_is_not_sound_and_its_file_not_served(page: Served, office: Path) -> None:
    changed = office / "releases" / "changed"
    shutil.copytree(office / "releases" / "lines", changed)
    try:
        numbers = changed / "estimates.csv"
        numbers.write_text(numbers.read_text().replace("A", "B"))
        assert "Not sound." in Markup(page.get("/outputs/changed/verification").text).plain
        assert page.get("/outputs/changed/files/estimates.csv").status == 400
    finally:
        shutil.rmtree(changed)


def test_sealed_files_are_served_and_no_others(page: Served, office: Path) -> None:
    lines = office / "releases" / "lines"
    answer = page.get("/outputs/lines/files/estimates.csv")
    assert answer.body == (lines / "estimates.csv").read_bytes()
    assert "attachment" in answer.headers["content-disposition"]
    for name in ("certificate.json", "..%2Fledger.sqlite", "nothing"):
        assert page.get(f"/outputs/lines/files/{name}").status == 404


def test_the_page_of_a_survey_runs_nothing(page: Served) -> None:
    answer = page.get("/outputs/council/report")
    policy = answer.headers["content-security-policy"]
    assert answer.status == 200
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_a_tidy_bundle_says_what_it_is_made_from(tmp_path: Path) -> None:
    from leeward.derived.settle.tidying import tidy  # noqa: PLC0415 (only here)
    from tests.derived.settle.joint_bundle import write_joint  # noqa: PLC0415 (as above)

    tidy(write_joint(tmp_path / "released"), tmp_path / "tidied")
    with serving(releases=tmp_path) as page:
        assert "made from released, nothing more was charged" in Markup(
            page.get("/releases").text
        ).plain.replace("\u200b", "")
        assert "Made from" in Markup(page.get("/releases/tidied").text).plain


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b"\xff", SYNTHETIC.encode(), b"[" * 100_000, b" " * (3 << 20)],
    ids=["empty", "list", "nothing", "no text", "cut", "deep", "large"],
)
@pytest.mark.parametrize("kind", ["description.json", "result.json", "synthetic.json"])
def test_what_strangers_wrote_is_named_and_not_opened(
    tmp_path: Path, content: bytes, kind: str
) -> None:
    folder = tmp_path / "strange"
    folder.mkdir()
    (folder / kind).write_bytes(content)
    (folder / "certificate.json").write_bytes(content)
    (found,) = shelf(tmp_path).outputs
    assert found.problem
    with serving(releases=tmp_path) as page:
        assert "Not opened:" in Markup(page.get("/releases").text).plain
        assert page.get("/outputs/strange").status == 400


def test_links_and_pipes_are_not_followed(office: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(office / "releases" / "lines")
    assert shelf(tmp_path).outputs == ()
    shutil.copytree(office / "releases" / "lines", tmp_path / "piped")
    (tmp_path / "piped" / "certificate.json").unlink()
    os.mkfifo(tmp_path / "piped" / "certificate.json")
    (found,) = shelf(tmp_path).outputs
    assert found.problem


def test_a_verification_without_an_answer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leeward.interface.web.releases_outputs.PATIENCE", 0.001)
    with pytest.raises(LeewardError, match="must end within"):
        verified(tmp_path, None)
