"""Sign-offs in the page: after a verification, by two people, from the page itself alone."""

from pathlib import Path

from leeward.bundle.signoff import read_sign_offs
from tests.web.releases_scene import Markup, write_small
from tests.web.serving import serving


def said(name: str, decision: str) -> list[tuple[str, str]]:
    return [("name", name), ("role", "office"), ("decision", decision)]


def test_a_sound_bundle_is_signed_and_no_other(tmp_path: Path) -> None:
    bundle = write_small(tmp_path / "one")
    with serving(releases=tmp_path) as page:
        at = "/releases/one/sign-off"
        elsewhere = page.post(at, said("Ada", "submitted"), Origin="http://example.org")
        asked = page.get(at)
        first = page.post(at, said("Ada", "submitted"))
        own = page.post(at, said("ada", "approved"))
        nobody = page.post(at, said(" ", "approved"))
        (bundle / "README.txt").write_text("changed")
        broken = page.post(at, said("Ben", "approved"))
    assert [one.status for one in (elsewhere, asked, first)] == [403, 405, 200]
    assert [one.status for one in (own, nobody, broken)] == [422, 422, 422]
    assert "must be decided on by someone other" in Markup(own.text).plain
    assert "the bundle is not sound" in Markup(broken.text).plain
    assert [one.name for one in read_sign_offs(bundle)] == ["Ada"]
