"""Pages of findings: marked where they are internal, and everything that they are given escaped."""

import json
import re
from dataclasses import replace
from pathlib import Path

from leeward.core.show.notebook import INTERNAL
from leeward.core.show.plots import Share, Shares
from leeward.lab.attacks.finding import Against, AttackFinding
from leeward.lab.attacks.gallery import Run, files, page

BARS = Shares("A <b>title</b>", (Share("x & y", 0.5, "50 %", "theirs"),))
FOUND = AttackFinding(
    "The <i>title</i>",
    0.973,
    "A sentence.",
    Against(0.27, "Ours."),
    Against(12, "Nothing.", "twelve"),
    (BARS, BARS),
    "edge",
    {"epsilon": "1"},
    ("A remark.",),
    {"half_width": 3},
)
INSIDE = replace(FOUND, internal=True)


def test_numbers_are_shown_as_what_they_are() -> None:
    assert FOUND.shown == "97.3\u00a0%"
    assert (replace(FOUND, number=1_002).shown, replace(FOUND, number=1.938).shown) == (
        *("1,002", "1.94"),
    )
    assert FOUND.against_nothing.shown == "twelve"


def test_a_page_tells_the_three_beside_each_other() -> None:
    shown = page(Run(FOUND, {"epsilon": "1/2", "file": "a b"}))
    assert "<i>" not in shown
    assert "<b>title" not in shown
    for part in ("97.3", "Ours.", "twelve", "A remark.", "discrete Laplace noise"):
        assert part in shown
    assert "leeward attack edge --with epsilon=1/2 --with &#39;file=a b&#39;" in shown
    assert "INTERNAL" not in shown


def test_every_part_of_an_internal_page_bears_the_mark() -> None:
    shown = page(Run(INSIDE, data=Path("plan.yaml")))
    assert f"<title>{INTERNAL}" in shown
    parts = re.findall(r"<(?:section|header)[ >]", shown)
    assert shown.count(f'<p class="banner">{INTERNAL}</p>') == len(parts) > 4
    assert "--data plan.yaml" in shown


def test_one_internal_finding_marks_the_gallery() -> None:
    made = files([Run(FOUND), Run(replace(INSIDE, attack="margins"))], many=True)
    assert list(made) == ["index.html", "edge.html", "margins.html", "attacks.json"]
    assert f"<title>{INTERNAL}" in made["index.html"]
    assert made["index.html"].count(INTERNAL) == 4  # title, header and both cards
    plain, inside = json.loads(made["attacks.json"])
    assert "confidential" not in plain
    assert next(iter(inside.items())) == ("confidential", INTERNAL)
    assert plain == FOUND.as_json()
    assert 'href="margins.html"' in made["index.html"]
