"""The gallery of attacks and its pages are readable by day, by night, on a phone and on paper."""

from dataclasses import replace
from pathlib import Path

from leeward.core.show.heat import heat_map
from leeward.core.show.plots import (
    Comb,
    GuessRange,
    Needle,
    Needles,
    Plot,
    PlotSeries,
    Ranges,
    Share,
    Shares,
    Teeth,
)
from leeward.lab.attacks.edge import attack
from leeward.lab.attacks.gallery import Run, files
from tests.browser.view import NewView

LEVEL = Plot(
    "A bound below the claim",
    "draws",
    "lower bound of ε",
    (
        PlotSeries("half the noise", "theirs", [(100, 1.6), (10_000, 1.9)]),
        PlotSeries("ours", "ours", [(100, 0.6), (10_000, 0.98)]),
        PlotSeries("a coin", "nothing", [(100, 0.1), (10_000, 0.0)]),
    ),
    log_x=True,
    level=(1, "claimed ε = 1"),
)
CLOUD = Plot(
    "Recovered beside true",
    "true jobs",
    "recovered jobs",
    (PlotSeries("cells", "ours", [(n, n + n % 7) for n in range(10, 90)], joined=False),),
    diagonal=True,
)
KINDS = (
    LEVEL,
    CLOUD,
    Shares("Found", tuple(Share(f"{one}, a long label", 0.5, "50 %", one)
                          for one in ("theirs", "ours", "nothing"))),
    Needles("Beliefs", (Needle("infusion", 1, "100 %", "theirs"),
                        Needle("ours", 0.731, "73.1 %", "ours"))),
    Comb("Teeth", "released", 0, 1, (Teeth("with her", "theirs", (0.1, 0.2, 0.7)),
                                     Teeth("without her", "ours", (0.3,)))),
    Ranges("Intervals", "jobs", (GuessRange("known", 12, 12, "theirs", 12),
                                 GuessRange("open", 3, float("inf"), "ours", 8))),
    heat_map(["c 1/4", "c 1/2"], ["k 4", "k 16"], [[89, 100], [73, 92]], title="Bits", unit="%"),
)  # fmt: skip


def test_a_gallery_is_fit_to_be_looked_at_without_a_network(
    view: NewView, tmp_path: Path, pictures: Path
) -> None:
    edge = attack()
    runs = [Run(edge), Run(replace(edge, attack="margins", pictures=KINDS))]
    for name, content in files(runs, many=True).items():
        (tmp_path / name).write_text(content)
    window = view()
    window.context.set_offline(True)
    window.page.goto((tmp_path / "index.html").as_uri())
    window.look_at(pictures, "gallery", whole=False)
    window.page.goto((tmp_path / "margins.html").as_uri())
    window.look_at(pictures, "attack", whole=False)
    window.page.get_by_role("link", name="What an attacker sees").click()
    assert window.page.url.endswith("index.html")
