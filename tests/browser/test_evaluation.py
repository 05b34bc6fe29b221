"""The page of an evaluation opens from the file system and is fit to be looked at."""

from dataclasses import replace
from pathlib import Path

from leeward.lab.evaluate.evaluation_page import page
from tests.browser.view import NewView
from tests.lab.evaluate.run import FULL
from tests.lab.evaluate.test_page import PICTURE


def test_an_evaluation_is_fit_to_be_looked_at_without_a_network(
    view: NewView, tmp_path: Path, pictures: Path
) -> None:
    marked = replace(FULL, study=replace(FULL.study, made_up=False))
    (tmp_path / "index.html").write_text(page(marked, {"summary": PICTURE}))
    window = view()
    window.context.set_offline(True)
    window.page.goto((tmp_path / "index.html").as_uri())
    window.page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    window.look_at(pictures, "evaluation", whole=False)
