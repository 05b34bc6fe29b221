"""Economy codebook: the codebook of a made-up economy, and its lists of codes."""

import csv
from io import StringIO
from typing import Any

import yaml

from leeward.lab.economy.homes import Homes
from leeward.lab.economy.made_up_codes import (
    EARNINGS,
    IMPOSSIBLE,
    MOST_CENTS,
    OWNERSHIP,
    SECTORS,
    USUAL,
    WORKER_CODES,
)
from leeward.lab.economy.made_up_economy import Economy
from leeward.lab.economy.places import Places, block_attribute

PLACE_FILE, REGION_FILE, ZONE_FILE = "place.csv", "place_region.csv", "home_zone.csv"


OPENING = """\
# A made-up economy. No place, employer or person in it exists; the place and region codes are
# invented. All three tables may be shown to anyone.
"""


class _Code(str):
    """A code, written in quotes so that no reader takes it for a number."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Plain YAML with quoted codes."""


_Dumper.add_representer(
    _Code,
    lambda dumper, code: dumper.represent_scalar("tag:yaml.org,2002:str", str(code), style='"'),
)


def codebook_text(economy: Economy) -> str:
    """The codebook as YAML."""
    document = {
        "tables": {
            "workplaces": {"id": "workplace_id", "employer": "employer_id"},
            "workers": {"id": "worker_id"},
            "jobs": {"worker": "worker_id", "workplace": "workplace_id"},
        },
        "attributes": _attributes(economy),
        "impossible": [
            {name: _Code(code) for name, code in combination.items()} for combination in IMPOSSIBLE
        ],
    }
    return OPENING + yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=100)


def place_text(places: Places) -> str:
    """The list of places as CSV."""
    return _csv(("code", "label"), places.codes, places.labels)


def region_text(places: Places) -> str:
    """The region of every place as CSV."""
    return _csv(("code", "parent"), places.codes, [code[:2] for code in places.codes])


def zone_text(homes: Homes) -> str:
    """The zone of each place of residence."""
    return _csv(("code", "parent"), homes.places.codes, homes.zone_codes)


def population_text(homes: Homes) -> str:
    """Zone, people and coordinates in kilometres of every place as CSV."""
    columns = (homes.zone_codes, homes.people.tolist(), homes.x.tolist(), homes.y.tolist())
    return _csv(("place", "home_zone", "people", "x", "y"), homes.places.codes, *columns)


def _csv(header: tuple[str, ...], *columns: list[Any]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def _attributes(economy: Economy) -> dict[str, dict[str, Any]]:
    places = Places.of(economy)
    blocks = {
        name: attribute | {"codes": _quoted(attribute["codes"])}
        for name, attribute in block_attribute(economy).items()
    }
    public = {"table": "workplaces", "public": True}
    region = {"from": "place", "map": REGION_FILE, "codes": _quoted(places.regions)}
    sectors = {sector.code: sector.label for sector in SECTORS}
    return {
        "place": {**public, "codes": PLACE_FILE},
        "region": {**public, **region},
        **blocks,
        "sector": {**public, "codes": _quoted(sectors)},
        "ownership": {**public, "codes": _quoted(OWNERSHIP)},
        **{
            name: {
                "table": "workers",
                "codes": _quoted(codes),
                "other": _Code(USUAL[name]),
                "null_as": _Code(USUAL[name]),
            }
            for name, codes in WORKER_CODES.items()
        },
        **_homes(economy),
        # Of a number, what is not one is the only kind of unlisted value: it has no `other`.
        "earnings": {
            "table": "jobs",
            "type": "integer",
            "unit": "cent",
            "period": "month",
            "cap": MOST_CENTS,
            "cap_from": "made up with the economy, before any job was drawn",
            "classes": {_Code(code): bound for code, bound in EARNINGS.items()},
            "null_as": _Code(USUAL["earnings"]),
        },
    }


def _homes(economy: Economy) -> dict[str, dict[str, Any]]:
    """The places in which workers live, and zones of them; a missing one counts as the largest."""
    if not economy.homes:
        return {}
    homes = Homes.of(economy)
    usual = _Code(homes.places.codes[int(homes.people.argmax())])
    zone = {"from": "home", "map": ZONE_FILE, "codes": _quoted(homes.zones)}
    return {
        "home": {"table": "workers", "codes": PLACE_FILE, "other": usual, "null_as": usual},
        "home_zone": {"table": "workers", **zone},
    }


def _quoted(codes: dict[str, str]) -> dict[_Code, str]:
    return {_Code(code): label for code, label in codes.items()}
