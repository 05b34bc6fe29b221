"""Bad codebooks: one row each with the exact message, and nothing is charged."""

import pytest

from tests.interface.commands.scene import Bad, Office, table

ROWS = table("bad_codebooks.yaml")
SEX = "sex: {table: workers, codes: [F, M]}"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_bad_codebook_is_refused_in_these_words(office: Office, row: Bad) -> None:
    office.spoil("codebook.yaml", row)
    office.refuse_release(says=row.says)


def test_no_row_shows_a_traceback_or_an_unexpected_error() -> None:
    words = ("Traceback", "unexpected", "Error", "pydantic", "validation")
    assert [row.bad for row in ROWS if any(word in row.says for word in words)] == []


def test_a_codebook_is_looked_for_beside_the_plan(office: Office) -> None:
    (office.folder / "plans").mkdir()
    (office.folder / "plan.yaml").rename(office.folder / "plans" / "plan.yaml")
    office.refuse(
        *("plan", "plans/plan.yaml"),
        says="codebook: must be a file that exists; got 'plans/codebook.yaml'. "
        "Look at the name and the file.",
    )


LISTS = [
    (
        b"F,female\nM,male\n",
        "codebook.attributes.sex.codes: must be CSV with the columns code and label; "
        "got 'sex.csv'. Mend the file, or name its columns as code_column and label_column.",
    ),
    (
        b"",
        "codebook.attributes.sex.codes: must be CSV with the columns code and label; "
        "got 'sex.csv'. Mend the file, or name its columns as code_column and label_column.",
    ),
    (
        b"code,label\n",
        "codebook.attributes.sex.codes: must list at least one code; got no codes in 'sex.csv'. "
        "Fill the file, or delete the attribute.",
    ),
    (
        b"code,label\nF,female\nF,male\n",
        "codebook.attributes.sex.codes: must list each code once, from 1 to 1000000 codes; "
        "got 'F' twice. Mend the list.",
    ),
    (
        b"code,label\nF\n",
        "codebook.attributes.sex.codes: must have all columns in every row; got 'sex.csv'. "
        "Mend the file.",
    ),
    (
        b"code,label\n(0,15],child\n(15,64],adult\n",
        "codebook.attributes.sex.codes: must not have more fields in a row than the header names; "
        "got row 2 of 'sex.csv'. Put quotes around texts that hold a comma.",
    ),
    (
        b'code,label\n"F,female\n',
        "codebook.attributes.sex.codes: must be CSV (unexpected end of data); got 'sex.csv'. "
        "Mend the file.",
    ),
    (
        b"code,label\nF,f\xe9minin\n",
        "codebook.attributes.sex.codes: must be text in UTF-8; got 'sex.csv'. "
        "Look at the name and the file.",
    ),
]


@pytest.mark.parametrize(("content", "says"), LISTS)
def test_a_bad_list_of_codes_in_a_file_is_refused(
    office: Office, content: bytes, says: str
) -> None:
    (office.folder / "sex.csv").write_bytes(content)
    office.edit("codebook.yaml", (SEX, "sex: {table: workers, codes: sex.csv}"))
    office.refuse_release(says=says)


MAPS = [
    (
        "code,parent\n01,N\n02,S\n02,N\n03,S\n",
        "codebook.attributes.half.map: must name the parent of each code once; got 'half.csv'. "
        "Remove the repeated rows.",
    ),
    (
        "code,label\n01,N\n",
        "codebook.attributes.half.map: must be CSV with the columns code and parent; "
        "got 'half.csv'. Mend the file.",
    ),
    (
        "code,parent\n01,N\n02,S\n",
        "codebook.attributes.half.map: must give every code of place a parent that is in codes; "
        "got 1 of 3 codes without, the first '03'. Add them to the map, or their parents to codes.",
    ),
]


@pytest.mark.parametrize(("text", "says"), MAPS)
def test_a_bad_map_in_a_file_is_refused(office: Office, text: str, says: str) -> None:
    (office.folder / "half.csv").write_text(text)
    half = "half: {table: workplaces, public: true, codes: [N, S], from: place, map: half.csv}"
    office.edit("codebook.yaml", ("  sex:", f"  {half}\n  sex:"))
    office.refuse_release(says=says)


def test_an_attribute_may_be_derived_from_a_derived_one_in_any_order(office: Office) -> None:
    country = (
        "country: {table: workplaces, public: true, codes: [T], from: half, map: {N: T, S: T}}"
    )
    half = (
        "half: {table: workplaces, public: true, codes: [N, S], from: place, "
        'map: {"01": N, "02": S, "03": S}}'
    )
    office.edit("codebook.yaml", ("  place:", f"  {country}\n  {half}\n  place:"))
    office.edit("plan.yaml", ("[place, sector]", "[country]"))
    assert office.run("plan", "plan.yaml").exit_code == 0
