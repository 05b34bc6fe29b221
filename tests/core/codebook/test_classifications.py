"""Classifications: packaged lists, official files of known layouts, and hierarchies from them."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from leeward.core.codebook.classifications import PACKAGED, Library, NoList
from leeward.core.errors import BadFile, InvalidParameter, LeewardError, Problems
from leeward.publishing.plan.plan import read_plan
from tests.core.codebook.made import read

BY_NAME = {one.name: one for one in PACKAGED}


def test_labels_are_those_of_the_standard() -> None:
    assert BY_NAME["lehd/agegrp"].codes["A01"] == "14-18"
    assert dict(BY_NAME["lehd/sex"].codes) == {"1": "Male", "2": "Female"}
    assert BY_NAME["nace2/section"].codes["J"] == "Information and communication"
    assert BY_NAME["isco08/major"].codes["0"] == "Armed Forces Occupations"
    assert [len(BY_NAME[name].codes) for name in ("naics/2", "nace2.1/section")] == [24, 22]


@pytest.mark.parametrize(
    ("name", "code", "parent"),
    [
        ("naics/sector", "32", "31-33"),
        ("naics/sector", "491110", "48-49"),
        ("naics/sector", "99", None),
        ("nace2/section", "01.11", "A"),
        ("nace2/section", "62", "J"),
        ("nace2.1/section", "62", "K"),
        ("fips/state", "44001", "44"),
    ],
)
def test_a_finer_code_has_its_parent(name: str, code: str, parent: str | None) -> None:
    assert BY_NAME[name].parent(code) == parent


COUNTIES = "AL,01,001,Autauga County,H1\nRI,44,009,Washington County,H4\n"
OFFICIAL = [
    (
        "label_industry.csv",
        "industry,label,ind_level\n00,All,A\n31-33,Manufacturing,S\n311,Food,3\n455110,Stores,6\n",
        {"naics2022/sector": ["31-33"], "naics2022/3": ["311"], "naics2022/6": ["455110"]},
    ),
    (
        "label_geography.csv",
        "geography,label,geo_level\n00,All,N\n44,Rhode Island,S\n44001,Bristol,C\n10100,Metro,B\n",
        {"fips/state": ["44"], "fips/county": ["44001"], "cbsa/metro": ["10100"]},
    ),
    (
        "2-6 digit_2017_Codes.csv",
        "Seq. No.,2017 NAICS US   Code,2017 NAICS US Title\n,,\n1,11,FarmingT\n2,111,Crops\n",
        {"naics2017/sector": ["11"], "naics2017/3": ["111"]},
    ),
    ("national_county.txt", COUNTIES, {"fips/county": ["01001", "44009"]}),
    (
        "national_county2020.txt",
        "STATE|STATEFP|COUNTYFP|COUNTYNS|COUNTYNAME|CLASSFP|FUNCSTAT\nRI|44|001|1|Bristol|H4|N\n",
        {"fips2020/county": ["44001"]},
    ),
    (
        "national_state2020.txt",
        "STATE|STATEFP|STATENS|STATE_NAME\nRI|44|01219835|Rhode Island\n",
        {"fips2020/state": ["44"]},
    ),
    (
        "all-geocodes-v2023.csv",
        "Estimates,,,\n\nSummary Level,State Code (FIPS),County Code (FIPS),Area Name (full)\n"
        "010,00,000,United States\n040,44,000,Rhode Island\n050,44,001,Bristol County\n",
        {"fips2023/state": ["44"], "fips2023/county": ["44001"]},
    ),
    (
        "NACE_REV2_20260101.csv",
        "Order,Level,Code,Parent,Description\n1,1,A,,Farms\n2,2,01,A,Crops\n3,4,01.11,01.1,Rice\n",
        {"nace2/section": ["A"], "nace2/division": ["01"], "nace2/class": ["01.11"]},
    ),
    (
        "NACE_Rev2.1_Structure.tsv",
        "ID\tCODE\tHEADING\tPARENT_CODE\n1\t62.1\tProgramming\t62\n",
        {"nace2.1/group": ["62.1"]},
    ),
    (
        "NACE_2021.csv",
        "Order,Level,Code,Parent,Description\n1,1,A,,Farms\n",
        {"nace2/section": ["A"]},
    ),
    (
        "NACE_2-1_to_2.csv",
        "Order,Level,Code,Parent,Description\n1,2,45,G,Motor trade\n",
        {"nace2/division": ["45"]},
    ),
    (
        "NUTS_AT_2021.csv",
        "CNTR_CODE,NUTS_ID,NAME_LATN\nAT,AT1,Ost\nAT,AT130,Wien\n",
        {"nuts2021/1": ["AT1"], "nuts2021/3": ["AT130"]},
    ),
    (
        "regions.csv",
        "Code 2024;Country;NUTS level 1;NUTS level 2;NUTS level 3\nAT;Austria;;;\nAT130;;;;Wien\n",
        {"nuts2024/0": ["AT"], "nuts2024/3": ["AT130"]},
    ),
    (
        "ISCO-08 EN Structure.csv",
        "Level,ISCO 08 Code,Title EN\n1,1,Managers\n4,1111,Legislators\n",
        {"isco08/major": ["1"], "isco08/unit": ["1111"]},
    ),
    ("jobs.csv", "worker_id,workplace_id\n1,2\n", {}),
]


@pytest.mark.parametrize(("file", "text", "lists"), OFFICIAL, ids=[one[0] for one in OFFICIAL])
def test_official_files_are_read_as_they_come(
    tmp_path: Path, file: str, text: str, lists: dict[str, list[str]]
) -> None:
    (tmp_path / file).write_text(text)
    found = Library(tmp_path).official
    assert {one.name: list(one.codes) for one in found} == lists
    assert not any(label.endswith("T") for one in found for label in one.codes.values())


@pytest.mark.parametrize(
    ("codes", "year"),
    [
        (["315210", "517311"], "2017"),
        (["315210", "541711"], "2012"),
        (["315211", "541711"], "2007"),
        (["315211", "517212"], "2002"),
        (["315211", "233210"], "1997"),
        (["315211"], ""),  # of three vintages
    ],
)
def test_a_vintage_is_known_by_codes_that_no_other_has(
    tmp_path: Path, codes: list[str], year: str
) -> None:
    rows = "".join(f"{code},Name,6\n" for code in codes)
    (tmp_path / "label_industry.csv").write_text(f"industry,label,ind_level\n{rows}")
    assert [one.name for one in Library(tmp_path).official] == [f"naics{year}/6"]


def test_spreadsheets_are_read_with_the_extra_and_asked_for_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2022_NAICS.xlsx").touch()
    monkeypatch.setattr("leeward.core.codebook.official_files._can_read_xlsx", lambda: False)
    with pytest.raises(NoList, match=r"To read the XLSX files in it: Type: .*\[files\]"):
        Library(tmp_path).find("standard:naics/6", "codes")
    rows = [["", ""], ["2022 NAICS Code", "2022 NAICS Title"], [455110.0, "Department StoresT"]]
    sheet = SimpleNamespace(to_python=lambda: rows)
    book = SimpleNamespace(sheet_names=["one"], get_sheet_by_name=lambda _: sheet)
    opened = SimpleNamespace(from_path=lambda _: book)
    monkeypatch.setattr("leeward.core.codebook.official_files._can_read_xlsx", lambda: True)
    calamine = SimpleNamespace(CalamineWorkbook=opened, CalamineError=ValueError)
    monkeypatch.setitem(sys.modules, "python_calamine", calamine)
    assert Library(tmp_path).find("standard:naics/6", "codes").codes == {
        "455110": "Department Stores"
    }


def test_counties_of_a_state_have_three_forms(tmp_path: Path) -> None:
    (tmp_path / "national_county.txt").write_text(COUNTIES)
    library = Library(tmp_path)
    forms = [("", "44009"), ("&code=local", "009"), ("&code=number", "9")]
    for form, code in forms:
        found = library.find(f"standard:fips/county?state=44{form}", "codes")
        assert list(found.codes) == [code]
    assert "1001" in library.find("standard:fips/county?code=number", "codes").codes
    for wrong in ("?state=45", "?code=local", "?county=44", "?state", "?state=44&code=x"):
        with pytest.raises(InvalidParameter, match="codes: must"):
            library.find(f"standard:fips/county{wrong}", "codes")


INDUSTRIES = "industry,label,ind_level\n311111,Dog Food,6\n311,Food,3\n445110,Shops,6\n"
TREE = """\
classifications: official
attributes:
  naics6: {table: workplaces, public: true, codes: standard:naics/6}
  sector: {table: workplaces, public: true, from: naics6, prefix: 2}
  named: {table: workplaces, public: true, from: naics6, codes: standard:naics/sector}
  three: {table: workplaces, public: true, from: naics6, prefix: 3}
  two: {table: workplaces, public: true, from: three, prefix: 2}
  own: {table: workplaces, public: true, codes: ["A1", "A2", "B1"]}
  letter: {table: workplaces, public: true, from: own, prefix: 1}
"""


def test_hierarchies_need_no_map(tmp_path: Path) -> None:
    (tmp_path / "official").mkdir()
    (tmp_path / "official" / "label_industry.csv").write_text(INDUSTRIES)
    book = read(tmp_path, TREE)
    assert book.parents("naics6") == {
        "sector": {"311111": "31-33", "445110": "44-45"},
        "named": {"311111": "31-33", "445110": "44-45"},
        "three": {"311111": "311", "445110": "445"},
        "two": {"311111": "31-33", "445110": "44-45"},
    }
    assert book.attributes["sector"].labels == ("Manufacturing", "Retail Trade")
    assert book.attributes["three"].labels == ("Food", "445")
    assert len(book.attributes["named"].codes) == 20
    assert book.parents("own") == {"letter": {"A1": "A", "A2": "A", "B1": "B"}}


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("x: {table: workers, codes: [a], prefix: 2}", "x.prefix: needs `from`"),
        ("x: {table: workers, codes: [a], from: sex, prefix: 0}", "x.prefix: must be how many"),
        ("x: {table: workers, codes: [a], from: sex, prefix: 1, map: {}}", "must not stand beside"),
        ("x: {table: workers, codes: [a], from: sex, prefix: 1}", "x.prefix: must give every code"),
        ("x: {table: workers, codes: [a], code_column: b}", "x.code_column: names a column"),
        ("x: {table: workers, codes: standard:lehd/sex, label_column: b}", "x.label_column: names"),
    ],
)
def test_keys_that_do_not_go_together_are_refused(tmp_path: Path, line: str, rule: str) -> None:
    with pytest.raises((LeewardError, Problems), match=rule):
        read(
            tmp_path, f"attributes:\n  sex: {{table: workers, codes: standard:lehd/sex}}\n  {line}"
        )


def test_label_files_with_other_headers_are_read(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("ownercode,title,note\nA01,Federal,x\nA05,Private,y\n")
    line = "own: {table: workers, codes: own.csv, code_column: ownercode, label_column: title}"
    book = read(tmp_path, f"attributes: {{{line}}}")
    assert book.attributes["own"].labels == ("Federal", "Private")


REQUEST: dict[str, object] = {
    "data": {"workplaces": "w.csv", "workers": "p.csv", "jobs": "j.csv"},
    "account": "office",
    "period": "2026Q2",
    "tables": [{"name": "t", "by": ["sector"]}],
    "codebook": {
        "attributes": {
            "sector": {"table": "workplaces", "public": True, "codes": "standard:naics/sector"},
            "county": {"table": "workplaces", "public": True, "codes": "standard:fips/county"},
            **{f"q{n}": {"table": "workers"} for n in range(5)},
            "half": {"table": "workers", "from": "q1", "codes": ["a"], "map": "none.csv"},
        }
    },
}
STRONG = {"policy": "strong", "alpha": "0.1", "epsilon": 4}


def test_a_plan_is_refused_only_for_the_attributes_that_it_uses() -> None:
    plan = read_plan({**REQUEST, "protect": STRONG})
    assert list(plan.codebook.attributes) == ["sector"]
    with pytest.raises(BadFile, match=r"^codebook.attributes.county.codes: must name a known"):
        read_plan({**REQUEST, "protect": STRONG, "tables": [{"name": "t", "by": ["county"]}]})
    with pytest.raises(NoList, match=r"^codebook.attributes.q1.codes: must be given"):
        read_plan({**REQUEST, "protect": STRONG, "tables": [{"name": "t", "by": ["half"]}]})


def test_under_the_weak_policy_every_attribute_of_workers_counts_and_many_are_told_once() -> None:
    with pytest.raises(Problems) as refused:
        read_plan({**REQUEST, "protect": {**STRONG, "policy": "weak"}})
    assert str(refused.value) == (
        "5 problems:\n"
        "  1. codebook.attributes.q0.codes: must be given; got nothing. Add the key; `leeward "
        "codes` lists what needs no file. And 4 more of this kind: codebook.attributes.q1.codes, "
        "codebook.attributes.q2.codes, codebook.attributes.q3.codes, codebook.attributes.q4.codes"
    )
