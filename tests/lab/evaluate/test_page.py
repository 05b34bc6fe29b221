import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from leeward.core.show.notebook import INTERNAL
from leeward.lab.evaluate.evaluation import EvaluatedTable, Evaluation
from leeward.lab.evaluate.evaluation_page import page
from leeward.lab.evaluate.figures import figures
from leeward.lab.evaluate.panel_sheet import PanelPicture
from leeward.lab.evaluate.point import COLUMNS
from tests.lab.evaluate.run import FULL, TODAY, at, printed, run
from tests.lab.evaluate.test_findings import EMPTY

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = '<script>alert("x")</script> & <b>bold</b>'
PICTURE = PanelPicture('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>', "A title", "In words.")


class Reader(HTMLParser):
    """Elements, identifiers, targets and text of a page; unbalanced tags are an error."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.heads: list[dict[str, str | None]] = []
        self.sections: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        self.ids += [given["id"] or ""] if "id" in given else []
        self.targets += [one for name in ("href", "src", "xlink:href") if (one := given.get(name))]
        self.heads += [given] if tag == "th" else []
        self.sections += [""] if tag == "section" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.sections and "section" in self.open:
            self.sections[-1] += data


def read(written: str) -> Reader:
    reader = Reader()
    reader.feed(written)
    reader.close()
    assert reader.open == []
    return reader


def shown(evaluation: Evaluation) -> Reader:
    return read(page(evaluation, {}))


def plain(reader: Reader) -> str:
    return "".join(reader.words).replace("\u00a0", " ")


def test_the_page_is_one_document_with_a_policy() -> None:
    written = page(FULL, {})
    assert written.startswith('<!DOCTYPE html>\n<html lang="en">')
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in written
    reader = read(written)
    assert (reader.tags["title"], reader.tags["h1"], reader.tags["main"]) == (1, 1, 1)
    assert reader.tags["script"] == reader.tags["link"] == 0


def test_every_entry_of_the_contents_leads_somewhere() -> None:
    reader = shown(FULL)
    anchors = [one.removeprefix("#") for one in reader.targets if one.startswith("#")]
    assert len(anchors) == len(reader.sections) == 2 + 2 + 1 + 2
    assert set(anchors) <= set(reader.ids)
    files = {one for one in reader.targets if not one.startswith("#")}
    assert files == {"points.csv", "gaps.csv", "findings.json", "evaluation.json"}


def test_drawn_figures_stand_in_the_page_and_need_no_network() -> None:
    drawn = figures(FULL.points, mark=None, words=FULL.words)
    written = page(FULL, drawn)
    reader = read(written)
    assert reader.tags["figure"] == reader.tags["figcaption"] == len(drawn) > 4
    assert len(reader.ids) == len(set(reader.ids))
    urls = set(re.findall(r"https?://[^\"'\s<)]*", written))
    assert urls <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    for one in drawn.values():
        assert one.svg in written
        assert one.title in plain(reader)
    assert "url(" not in re.sub(r"url\(#", "", written)


def test_a_figure_carries_its_title_and_its_words() -> None:
    written = page(FULL, {"summary": replace(PICTURE, title=EVIL, description=EVIL)})
    assert PICTURE.svg in written
    assert "<script>" not in written
    assert read(written).tags["figcaption"] == 1


def test_tables_have_heads_for_rows_and_columns() -> None:
    reader = shown(FULL)
    assert reader.tags["table"] == reader.tags["caption"] == 7
    assert {one.get("scope") for one in reader.heads} == {"row", "col"}
    words = plain(reader)
    assert "All mechanisms at α = 0.1 and ε = 1" in words
    assert "Node DP, best θ" in words


def test_the_table_of_answers_gives_each_family_with_its_promise() -> None:
    points = (
        *(at("slope", l1, epsilon=e) for e, l1 in ((1.0, 20.0), (4.0, 5.0))),
        printed("smooth_gamma", 70.0),
        printed("smooth_laplace", 9.0, delta=0.03),
    )
    rows = re.findall(r"<tr><th.*?</tr>", page(run(TODAY, *points), {}))
    cells = [re.sub(r"<[^>]+>", "|", one).replace("\u00a0", " ").split("|") for one in rows]
    assert [one for one in cells[1] if one] == [
        "County × trade",
        "0.1",
        "2 (slope, strong)",
        "&gt; 1",
        "≤ 1 (Smooth Laplace, strong, δ = 0.03)",
    ]


def test_measures_are_explained_under_their_columns() -> None:
    words = plain(shown(FULL))
    named = {"l1", "l1_source", "ratio_to_infusion", "ratio_where_published", "spearman"}
    assert named < set(COLUMNS)
    assert all(one in words for one in named)
    assert "outside the guarantee" in words
    assert "Never publish" in words


def test_confidential_data_are_marked_in_the_title_and_every_section() -> None:
    reader = shown(replace(FULL, study=replace(FULL.study, made_up=False)))
    assert all(one.strip().startswith(INTERNAL) for one in reader.sections)
    assert plain(reader).count(INTERNAL) == len(reader.sections) + 2
    assert "made up" not in " ".join(reader.sections[:1])


def test_made_up_data_are_not_marked() -> None:
    written = page(FULL, {})
    assert INTERNAL not in written
    assert 'class="banner"' not in written


def test_words_from_a_plan_are_escaped() -> None:
    odd = EvaluatedTable('one"><script>', EVIL, 3, 1, 0.0, 0.0)
    points = (replace(one, workload=odd.name) for one in (TODAY, at("slope", 4.0)))
    given = run(*points, tables=(odd,), made_up=False)
    study = replace(given.study, data=EVIL, preset=EVIL)
    reader = shown(replace(given, study=study))
    assert reader.tags["script"] == reader.tags["b"] == 0
    assert plain(reader).count(EVIL) >= 5
    assert all(re.fullmatch(r"[a-z0-9-]+", one) for one in reader.ids)


@pytest.mark.parametrize("case", ["nothing", "no tables", "everything refused"])
def test_a_page_is_made_of_whatever_there_is(case: str) -> None:
    reader = shown(EMPTY[case]())
    assert len(reader.sections) >= 3
    assert len(reader.ids) == len(set(reader.ids))
    assert not {"nan", "inf", "None"} & set(plain(reader).split()) - {"None"}


def test_the_findings_of_2015_stand_on_the_page_where_their_forms_were_run() -> None:
    assert "The findings of 2015" not in plain(shown(FULL))
    more = (
        replace(printed("log_laplace", 4.0, workload="whole", accounting="parallel"), cells=9),
        *(
            replace(at("smooth_gamma", l1, calibration="h15", policy="none", **more), cells=cells)
            for l1, more, cells in (
                (40.0, {}, 1),
                (1.0, {"workload": "whole", "accounting": "parallel"}, 9),
            )
        ),
    )
    reader = shown(replace(FULL, points=(*FULL.points, *more)))
    assert "holds, 1 of 1" in plain(reader)
    assert "findings-2015" in reader.ids
    assert "Smooth Gamma, as printed in 2015" in plain(reader)
