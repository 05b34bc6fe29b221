"""Sign-offs in the page: after a verification, by two people, from the page itself alone."""

from pathlib import Path

import pytest

from leeward.publishing.bundle.signoff import read_sign_offs
from tests.interface.commands.scene import Office
from tests.interface.web.releases_scene import Markup, write_small
from tests.interface.web.serving import serving


def said(name: str, decision: str) -> list[tuple[str, str]]:
    return [("name", name), ("role", "office"), ("decision", decision)]


def test_a_sound_bundle_is_signed_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    office = Office(tmp_path)
    office.write()
    office.open_account()
    office.released(out="one")
    bundle = tmp_path / "one"
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


def test_what_another_version_made_is_not_signed_without_the_ledger(tmp_path: Path) -> None:
    """Its sentences could be any: they are not compared."""
    bundle = write_small(tmp_path / "one")
    with serving(releases=tmp_path) as page:
        verified = page.get("/releases/one/verification")
        asked = page.post("/releases/one/sign-off", said("Ada", "submitted"))
    assert "were NOT compared with its numbers" in Markup(verified.text).plain
    assert asked.status == 422
    assert "another version made it and no ledger confirms it" in Markup(asked.text).plain
    assert read_sign_offs(bundle) == ()
