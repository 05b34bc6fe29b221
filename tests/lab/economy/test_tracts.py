"""Tracts: areas of similar size, in towns as different as ever."""

import numpy as np
import pytest

from leeward.core.codebook import read_codebook
from leeward.lab.economy import Economy
from leeward.lab.economy.establishments import build_frame
from leeward.lab.economy.made_up_codes import REGIONS
from leeward.lab.economy.places import Places
from tests.lab.economy.conftest import Written, column


def test_tracts_are_of_similar_size(tracts: Written, country: Written) -> None:
    def ratio(written: Written) -> float:
        held = np.unique(column(written.workplaces, "place"), return_counts=True)[1]
        return float(held.max() / np.median(held))

    assert ratio(tracts) < 9
    assert ratio(country) > 15
    weights = Places.of(tracts.economy).weights
    assert weights.sum() == pytest.approx(1)
    assert np.std(np.log(weights)) == pytest.approx(0.7, abs=0.02)


def test_their_combinations_are_as_many_as_in_a_large_state() -> None:
    """The three-way marginal of Haney et al. (2017) has about 94 thousand cells."""
    economy = Economy(jobs=10_900_000, establishments=527_000, geography="tracts")
    frame = build_frame(economy.stream(0), economy)
    kinds = (frame.place.astype(np.int64), frame.sector, frame.ownership)
    cells = np.unique(np.ravel_multi_index(kinds, (economy.place_count, 20, 4)))
    assert len(cells) == pytest.approx(94_000, rel=0.02)


def test_a_small_tract_may_have_a_large_employer(tracts: Written, country: Written) -> None:
    """Known bad: bounded by the tract, the largest would be as small as the tract."""
    for quantile in (0.5, 0.99, 0.999):
        sizes = [np.quantile(each.sizes[each.sizes > 0], quantile) for each in (tracts, country)]
        assert sizes[0] == pytest.approx(sizes[1], rel=0.15)
    assert tracts.sizes.max() > 2_000
    place = np.unique(column(tracts.workplaces, "place"), return_inverse=True)[1]
    total = np.bincount(place, weights=tracts.sizes)
    largest = np.zeros_like(total)
    np.maximum.at(largest, place, tracts.sizes)
    assert (largest > 3 * (total - largest)).any()


def test_towns_are_as_different_as_places_are(tracts: Written) -> None:
    areas = Places.of(tracts.economy)
    assert (np.diff(areas.town) >= 0).all()
    assert (areas.surroundings >= areas.weights).all()
    towns = np.unique(areas.surroundings)
    assert towns.max() > 10 * np.median(towns)
    assert abs(np.corrcoef(areas.town, areas.weights)[0, 1]) < 0.2


def test_codes_and_names_of_tracts(tracts: Written) -> None:
    codebook = read_codebook(tracts.files.codebook)
    place, region = (codebook.attributes[name] for name in ("place", "region"))
    assert set(column(tracts.workplaces, "place")) <= set(place.codes)
    assert len(place.codes) == tracts.economy.place_count == 388
    assert {len(code) for code in place.codes} == {7}
    assert region.codes == tuple(REGIONS)
    assert [region.codes[region.recode[code]] for code in place.codes] == [
        code[:2] for code in place.codes
    ]
    assert tracts.files.place_codes.read_text().splitlines()[1] == "0300001,Tract 00001"


def test_a_town_has_one_local_government_for_all_its_tracts(tracts: Written) -> None:
    frame = tracts.workplaces
    local = (column(frame, "ownership") == "3") & (column(frame, "sector") == "61")
    codes = Places.of(tracts.economy).codes
    town = dict(zip(codes, Places.of(tracts.economy).town.tolist(), strict=True))
    pairs = {
        (town[place], int(employer))
        for place, employer in zip(
            column(frame, "place")[local], column(frame, "employer_id")[local], strict=True
        )
    }
    assert len(pairs) == len({one for one, _ in pairs}) == len({one for _, one in pairs})
    assert len(pairs) < len(set(column(frame, "place")[local]))
