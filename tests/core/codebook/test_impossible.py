"""Impossible combinations of a codebook: kept as written, and refused in exact words."""

from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from tests.core.codebook.made import read

BOOK = """
attributes:
  place: {table: workplaces, public: true, codes: [N, S]}
  age: {table: workers, codes: [young, old], omit: [unknown], total: all}
  degree: {table: workers, codes: ["no", "yes"]}
  pay: {table: jobs, type: integer, unit: cent, cap: 9, classes: {low: 5, high: 9}}
  rank: {table: jobs, type: number}
"""
ALL = "must be a declared attribute of workers or jobs; got {}."
FEW = (
    "must combine codes of at least two attributes; got {}. Add another attribute; a code that "
    "nobody has is left out of codes."
)
AGES = "age: must be one of the codes of age; got {}. Its codes begin young, old."
REFUSED = {
    "no list": ("{age: old}", ": must be a list; got keys and values. Write it in brackets: "
                "[a, b]."),
    "a text": ("[age]", "[0]: must hold keys and values; got 'age'. Write it in braces: "
               "{key: value}."),
    "several codes": ("[{age: [old], pay: low}]", "[0].age: must be one text; got a list. Write "
                      "one value."),
    "one attribute": ("[{age: young}]", f"[0]: {FEW.format('age')}"),
    "no attribute": ("[{}]", f"[0]: {FEW.format('none')}"),
    "a workplace": ("[{place: N, age: old}]",
                    f"[0].place: {ALL.format(repr('place'))} Name another one."),
    "a real number": ("[{rank: 1, age: old}]",
                      f"[0].rank: {ALL.format(repr('rank'))} Name another one."),
    "not declared": ("[{age: old, pya: low}]",
                     f"[0].pya: {ALL.format(repr('pya'))} Did you mean 'pay'?"),
    "no code": ("[{age: middle, pay: low}]", f"[0].{AGES.format(repr('middle'))}"),
    "an omitted code": ("[{age: unknown, pay: low}]", f"[0].{AGES.format(repr('unknown'))}"),
    "the code of totals": ("[{age: all, pay: low}]", f"[0].{AGES.format(repr('all'))}"),
    "a number": ("[{pay: 3, age: old}]", "[0].pay: must be one of the codes of pay; got '3'. Its "
                 "codes begin low, high."),
}  # fmt: skip


def test_combinations_are_kept_in_their_order_and_do_not_change(tmp_path: Path) -> None:
    more = "impossible: [{pay: high, age: young}, {age: young, degree: yes}]\n"
    found = read(tmp_path, BOOK + more).impossible
    assert list(map(dict, found)) == [
        {"pay": "high", "age": "young"},
        {"age": "young", "degree": "yes"},
    ]
    with pytest.raises(TypeError):
        found[0]["pay"] = "low"  # type: ignore[index] # that is the test
    assert read(tmp_path, BOOK).impossible == read(tmp_path, BOOK + "impossible: []").impossible


@pytest.mark.parametrize("bad", REFUSED)
def test_a_wrong_combination_is_refused_in_these_words(bad: str, tmp_path: Path) -> None:
    written, says = REFUSED[bad]
    with pytest.raises(LeewardError) as refusal:
        read(tmp_path, f"{BOOK}impossible: {written}\n")
    assert str(refusal.value) == f"codebook.impossible{says}"


def test_all_that_is_wrong_is_told_and_a_bad_attribute_once(tmp_path: Path) -> None:
    rules = "impossible: [{age: x}, {age: old, degree: maybe}, {pay: low, place: N}]\n"
    with pytest.raises(LeewardError) as refusal:
        read(tmp_path, (BOOK + rules).replace("cap: 9", "cap: 8"))
    told = [one.parameter for one in getattr(refusal.value, "problems", ())]
    assert told == [
        "codebook.attributes.pay.classes",
        "codebook.impossible[0]",
        "codebook.impossible[0].age",
        "codebook.impossible[1].degree",
        "codebook.impossible[2].place",
    ]
