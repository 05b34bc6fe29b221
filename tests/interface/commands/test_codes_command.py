"""`leeward codes`: what a codebook may name."""

import json

from tests.interface.commands.scene import Office


def test_codes_lists_finds_and_refuses(office: Office) -> None:
    listed = office.run("codes").stdout
    assert "lehd/agegrp" in listed
    assert office.run("codes", "lehd/sex").stdout == (
        "1  Male\n2  Female\nWith `spelled: letters` a column may have M for 1, F for 2.\n"
    )
    (told,) = json.loads(office.run("codes", "lehd/sex", "--json").stdout)
    assert told["spellings"] == {"letters": {"M": "1", "F": "2"}}
    postal = office.run("codes", "fips/state").stdout.splitlines()[-1]
    assert postal.endswith("AL for 01, AK for 02, AZ for 04, AR for 05, ….")
    found = office.run("codes", "--search", "retail").stdout.splitlines()
    assert found[0] == "naics/sector  44-45  Retail Trade"
    (told,) = json.loads(office.run("codes", "naics/sector", "--search", "mining", "--json").stdout)
    assert told["codes"] == {"21": "Mining, Quarrying, and Oil and Gas Extraction"}
    assert told["source"] == "LEHD public-use schema V4.14.0"
    office.refuse(
        *("codes", "nace/section"),
        says="NAME: must name one classification; got 'nace/section', with no folder of official "
        "files. Name one of nace2/section, nace2.1/section.",
    )
    office.refuse(
        *("codes", "lehd/agegroup", "--classifications", "none"),
        says="--classifications: must be a folder of official files; got 'none'. Name the folder "
        "that the files of the classification are in.",
    )
