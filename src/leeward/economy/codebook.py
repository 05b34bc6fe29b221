"""The codebook of a made-up economy: what its columns mean and which codes they hold."""

import csv
from io import StringIO
from typing import Any

import yaml

from leeward.economy.blocks import block_attribute
from leeward.economy.codes import OWNERSHIP, WORKER_CODES
from leeward.economy.economy import Economy
from leeward.economy.places import Places
from leeward.economy.sectors import SECTORS

PLACE_FILE, REGION_FILE = "place.csv", "place_region.csv"

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
    document = {"tables": _keys(), "attributes": _attributes(economy)}
    return OPENING + yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=100)


def place_text(places: Places) -> str:
    """The list of places as CSV."""
    return _csv(("code", "label"), places.codes, places.labels)


def region_text(places: Places) -> str:
    """The region of every place as CSV."""
    return _csv(("code", "parent"), places.codes, [code[:2] for code in places.codes])


def _csv(header: tuple[str, str], codes: list[str], meanings: list[str]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(codes, meanings, strict=True))
    return text.getvalue()


def _keys() -> dict[str, dict[str, str]]:
    return {
        "workplaces": {"id": "workplace_id", "employer": "employer_id"},
        "workers": {"id": "worker_id"},
        "jobs": {"worker": "worker_id", "workplace": "workplace_id"},
    }


def _attributes(economy: Economy) -> dict[str, dict[str, Any]]:
    places = Places.of(economy)
    blocks = {
        name: one | {"codes": _quoted(one["codes"])}
        for name, one in block_attribute(economy).items()
    }
    public = {"table": "workplaces", "public": True}
    region = {"from": "place", "map": REGION_FILE, "codes": _quoted(places.regions)}
    sectors = {sector.code: sector.label for sector in SECTORS}
    workers = {
        name: {"table": "workers", "codes": _quoted(codes)} for name, codes in WORKER_CODES.items()
    }
    return {
        "place": {**public, "codes": PLACE_FILE},
        "region": {**public, **region},
        **blocks,
        "sector": {**public, "codes": _quoted(sectors)},
        "ownership": {**public, "codes": _quoted(OWNERSHIP)},
        **workers,
    }


def _quoted(codes: dict[str, str]) -> dict[_Code, str]:
    return {_Code(code): label for code, label in codes.items()}
