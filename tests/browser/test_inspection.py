"""The page of an inspection is readable by day, by night and on a phone."""

from itertools import combinations
from pathlib import Path

from leeward.systems.synth.closeness import Apart, ColumnPair, OneColumn
from leeward.systems.synth.halves import Score, Uniqueness
from leeward.systems.synth.inspection import Inspection, Violation
from leeward.systems.synth.inspection_page import page
from tests.browser.view import NewView

NAMES = ("age", "sex", "education of worker", "earnings")
VALUES = tuple(map(str, range(14)))
COUNTS = tuple(range(14))
FOUND = Inspection(
    {"real": 91, "synthetic": 91},
    tuple(OneColumn((name,), 0.1, 0.01, 0, VALUES, COUNTS, COUNTS[::-1], at % 2 == 0)
          for at, name in enumerate(NAMES)),
    tuple(ColumnPair(both, at / 10, 0.02, 0.1, at / 5, 1 - at / 5)
          for at, both in enumerate(combinations(NAMES, 2))),
    tuple(Apart(three, 0.2, 0.1, 0.3) for three in [*combinations(NAMES, 3)][:20]),
    (Score(NAMES[0], 0.5, 0.9, 0.8),),
    (Violation("age of worker is one of its codes", 0, 7),),
    Uniqueness(0.5, 0.02, 0.01, 0.012),
    0,
)  # fmt: skip


def test_an_inspection_is_fit_to_be_looked_at_without_a_network(
    view: NewView, tmp_path: Path, pictures: Path
) -> None:
    (tmp_path / "index.html").write_text(page(FOUND))
    window = view()
    window.context.set_offline(True)
    window.page.goto((tmp_path / "index.html").as_uri())
    window.look_at(pictures, "inspection", whole=False)
