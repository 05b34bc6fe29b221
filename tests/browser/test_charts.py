"""Charts whose labels are long, German or emoji: they wrap, and nothing lies over anything else."""

from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.show.charts import BudgetPart, ChartBar, bars, budget
from leeward.core.show.environment import environment
from leeward.core.show.heat import heat_map
from leeward.core.show.point_charts import Band, Dot, curves, scatter
from leeward.publishing.bundle.figure import MOST_COLUMNS
from tests.browser import seen
from tests.browser.view import PHONE, WIDE, Look, NewView

LABELS = (
    "Verwaltungs- und Unterstützungsdienstleistungen für Betriebe",
    "Donaudampfschifffahrtsgesellschaftskapitänsversorgungsverein",
    "👩‍🏭 Fabrik 👨‍🌾 Hof 🏥 Klinik 🏫 Schule 🚢 Werft 🛒 Laden ⛏️ Grube 🎭 Bühne",
    "x" * 60,
)
CURVE = [(1000.0, 0.1), (5000.0, 1.0), (9000.0, 0.1)]
CHARTS = (
    bars(
        [ChartBar(one, 1234567, (1135802, 1333332)) for one in LABELS],
        title="Bars",
        unit="Difference",
    ),
    budget([BudgetPart(one, Fraction(1)) for one in LABELS], Fraction(4), title="Budget"),
    curves([Band(one, 5000, 2000, 8000, CURVE) for one in LABELS], title="Curves"),
    heat_map(LABELS, LABELS, [[-1, 20, None, 4000]] * 4, title="Heat"),
    scatter([Dot(-7000, -8000), Dot(6000, 5000, True)], title="Dots", x=LABELS[1], y=LABELS[3]),
)
PAGE = """{% import "show/charts.html.j2" as charts %}<!doctype html>
<html lang="de"><head><meta name="viewport" content="width=device-width"><title>Charts</title>
<style>{{ style() }}</style></head><body class="document">
{% for chart in all %}{{ charts.figure(chart, "A caption.") }}{% endfor %}</body></html>"""

SPILLS = """() => [...document.querySelectorAll("th, td, li, p, figcaption")]
  .filter(one => !one.closest(".unseen") && one.scrollWidth > one.clientWidth + 1)
  .map(one => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("number", [99, 5_432, 158_000, -158_000, -1_234_567])
@pytest.mark.parametrize("columns", [1, 14, MOST_COLUMNS])
def test_the_widest_heat_map_of_a_report_fits_on_paper(
    view: NewView, tmp_path: Path, number: int, columns: int
) -> None:
    names = [f"{column:08} · 07" for column in range(columns)]
    cells = [[number] * columns] * len(LABELS)
    widest = heat_map(LABELS, names, cells, title="Heat")
    (tmp_path / "charts.html").write_text(environment().from_string(PAGE).render(all=[widest]))
    window = view()
    window.page.goto((tmp_path / "charts.html").as_uri())
    assert seen.on_paper(window.page) == []


@pytest.mark.parametrize("value", [45, 100_954, -2_741_187])
def test_long_numbers_do_not_lie_over_labels_on_a_phone(
    view: NewView, tmp_path: Path, value: int
) -> None:
    regions = [
        ChartBar(one, value, (value - 3_565_288, value + 5)) for one in ("Northern region", "A")
    ]
    chart = bars(regions, title="Bars", unit="Difference")
    text = environment().from_string(PAGE).render(all=[chart])
    (tmp_path / "charts.html").write_text(text.replace('class="document"', 'class="app"'))
    window = view(PHONE)
    window.page.goto((tmp_path / "charts.html").as_uri())
    assert seen.overlaid(window.page) == []
    assert seen.sideways(window.page) == []


@pytest.mark.parametrize("look", [WIDE, PHONE], ids=str)
def test_long_labels_wrap_and_lie_over_nothing(
    view: NewView, tmp_path: Path, pictures: Path, look: Look
) -> None:
    window = view(look)
    (tmp_path / "charts.html").write_text(environment().from_string(PAGE).render(all=CHARTS))
    window.page.goto((tmp_path / "charts.html").as_uri())
    window.keep(pictures, f"charts-long-{look}")
    assert window.faults() == []
    assert window.page.evaluate(SPILLS) == []
