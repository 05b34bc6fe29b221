"""The gallery of made-up attacks on the local page: files as they were written, and no others."""

from pathlib import Path

import pytest

from leeward.core.errors import BadFile
from leeward.core.show.notebook import INTERNAL
from leeward.interface.web.laboratory import read_gallery
from tests.interface.web.serving import Served, serving

PAGE = "<!DOCTYPE html><title>All</title><style>p {}</style><a href='edge.html'>edge</a>"


@pytest.fixture
def gallery(tmp_path: Path) -> Path:
    folder = tmp_path / "gallery"
    folder.mkdir()
    for name in ("index.html", "edge.html"):
        (folder / name).write_text(PAGE)
    (folder / "attacks.json").write_text("[]")
    return folder


def test_pages_are_looked_up_and_may_run_nothing(plan: Path, gallery: Path) -> None:
    with serving(plan, plan.parent, None, gallery=read_gallery(gallery)) as up:
        (gallery / "late.html").write_text(PAGE)
        assert 'href="' + up.site.base + '/laboratory"' in up.get("/plan").text
        assert up.get("/laboratory").headers["location"].endswith("/laboratory/index.html")
        answer = up.get("/laboratory/edge.html")
        assert answer.text == PAGE
        assert "default-src 'none'; style-src 'sha256-" in answer.headers["content-security-policy"]
        for name in ("late.html", "attacks.json", "..%2fplan.yaml"):
            assert up.get(f"/laboratory/{name}").status == 404


def test_without_a_gallery_there_is_no_laboratory(page: Served) -> None:
    assert "laboratory" not in page.get("/plan").text
    assert page.get("/laboratory/index.html").status == 404


def test_nothing_internal_is_served(gallery: Path) -> None:
    (gallery / "edge.html").write_text(f"{PAGE}<p>{INTERNAL}</p>")
    with pytest.raises(BadFile, match=r"'edge.html', which is marked INTERNAL"):
        read_gallery(gallery)


def test_a_folder_that_is_no_gallery_is_refused(gallery: Path) -> None:
    (gallery / "edge.html").unlink()
    (gallery / "edge.html").symlink_to("/etc/hostname")
    with pytest.raises(BadFile, match="must hold plain files"):
        read_gallery(gallery)
    with pytest.raises(BadFile, match=r"with index\.html"):
        read_gallery(gallery / "none")
