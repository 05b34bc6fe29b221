"""Numeric columns of a codebook: public bounds, classes by upper bound, and exact refusals."""

from pathlib import Path

import pytest

from leeward.core.codebook import ROW_RULES
from leeward.core.codebook.row_rules import NUMBER_RULES
from leeward.core.errors import LeewardError
from tests.core.codebook.made import read

PAY = (
    "{table: jobs, type: integer, unit: cent, period: month, cap: 1500000, "
    "classes: {CE01: 125000, CE02: 333300, CE03: 1500000}}"
)


def book(entry: str, more: str = "") -> str:
    return f"attributes:\n  pay: {entry}\n{more}"


def test_the_classes_of_a_numeric_column_are_its_codes(tmp_path: Path) -> None:
    pay = read(tmp_path, book(PAY)).attributes["pay"]
    assert pay.codes == ("CE01", "CE02", "CE03")
    assert pay.labels == (
        "0 to 125000 cent per month",
        "125001 to 333300 cent per month",
        "333301 to 1500000 cent per month",
    )
    assert dict(pay.recode) == {"CE01": 0, "CE02": 1, "CE03": 2}
    assert (pay.unlisted, pay.missing) == (None, None)
    assert pay.numbers is not None
    assert (pay.numbers.low, pay.numbers.cap) == (0, 1500000)
    assert pay.numbers.bounds == (("CE01", 125000), ("CE02", 333300), ("CE03", 1500000))


def test_a_least_value_and_a_class_for_missing_numbers(tmp_path: Path) -> None:
    entry = (
        "{table: workers, column: years, type: integer, unit: year, low: -3, cap: 9, "
        "classes: {a: -3, b: 9}, null_as: b}"
    )
    pay = read(tmp_path, book(entry)).attributes["pay"]
    assert pay.labels == ("-3 to -3 year", "-2 to 9 year")
    assert (pay.column, pay.unlisted, pay.missing) == ("years", 1, 1)


def test_a_coarser_attribute_is_derived_from_the_classes(tmp_path: Path) -> None:
    more = "  half: {table: jobs, from: pay, codes: [l, h], map: {CE01: l, CE02: h, CE03: h}}\n"
    found = read(tmp_path, book(PAY, more))
    half = found.attributes["half"]
    assert half.numbers == found.attributes["pay"].numbers
    assert dict(half.recode) == {"CE01": 0, "CE02": 1, "CE03": 1}
    assert [one.name for one in found.numeric] == ["pay", "half"]


def test_rules_for_numbers_hold_only_where_there_are_numbers(tmp_path: Path) -> None:
    assert read(tmp_path, book("{table: jobs, codes: [a]}")).row_rules == ROW_RULES
    assert read(tmp_path, book(PAY)).row_rules == (*ROW_RULES, *NUMBER_RULES)


TYPE = (
    "must be integer for a numeric column: no other type of number is tabulated; got {}. "
    "Write type: integer, in a unit such as cent that makes the numbers whole; or declare codes, "
    "without type and its keys."
)
WHOLE = (
    "must be a whole number of at most 15 digits; got {}. Write it in digits alone, in the unit "
    "of the column."
)
ORDER = (
    "must have ascending bounds from low on, each the largest number of its class; got {}. "
    "Order the classes by their bounds."
)
GIVEN = "must be given; got nothing. Add the key."
CODED = (
    "is for columns of codes: the codes of a numeric column are its classes; got {0} beside "
    "type. Leave {0} out; derive a coarser attribute with a `from` of its own."
)
REFUSED = {
    "a float": ("integer", "float", f"type: {TYPE.format(repr('float'))}"),
    "a datetime": ("integer", "datetime", f"type: {TYPE.format(repr('datetime'))}"),
    "a string": ("integer", "string", f"type: {TYPE.format(repr('string'))}"),
    "no type": ("type: integer, ", "", f"type: {TYPE.format('nothing')}"),
    "codes": ("cap:", "codes: [a], cap:", f"codes: {CODED.format('codes')}"),
    "other": ("cap:", "other: CE01, cap:", f"other: {CODED.format('other')}"),
    "omit": ("cap:", "omit: [x], cap:", f"omit: {CODED.format('omit')}"),
    "from": ("cap:", "from: x, cap:", f"from: {CODED.format('from')}"),
    "no unit": ("unit: cent, ", "", f"unit: {GIVEN}"),
    "no cap": ("cap: 1500000, ", "", f"cap: {GIVEN}"),
    "no classes": (", classes: {CE01: 125000, CE02: 333300, CE03: 1500000}", "",
                   f"classes: {GIVEN}"),
    "an empty unit": ("unit: cent", "unit: \" \"",
                      "unit: must be a printable word; got ' '. Write a unit such as cent."),
    "an empty period": ("period: month", "period: ",
                        "period: must be a printable word; got ''. Write a period such as month."),
    "a fraction": ("cap: 1500000", "cap: 1500000.5", f"cap: {WHOLE.format(repr('1500000.5'))}"),
    "a bound in words": ("125000", "low", f"classes: {WHOLE.format(repr('low'))}"),
    "a long cap": ("cap: 1500000", "cap: 1000000000000000",
                   f"cap: {WHOLE.format(repr('1000000000000000'))}"),
    "low in words": ("cap:", "low: none, cap:", f"low: {WHOLE.format(repr('none'))}"),
    "descending": ("333300", "125000", f"classes: {ORDER.format('125000 of ' + repr('CE02'))}"),
    "below low": ("cap:", "low: 125001, cap:",
                  f"classes: {ORDER.format('125000 of ' + repr('CE01'))}"),
    "not up to the cap": ("CE03: 1500000", "CE03: 1400000",
                          "classes: must end at the cap; got 1400000 as the last bound, and the "
                          "cap 1500000. Give the last class the cap as its bound."),
    "no class": ("{CE01: 125000, CE02: 333300, CE03: 1500000}", "{}",
                 "classes: must list at least one code; got no codes. Fill the list, or delete "
                 "the attribute."),
    "an odd code": ("CE01", "\"CE \"",
                    "classes: must hold codes of 1 to 100 printable characters, no blanks "
                    "around; got 'CE '. Change the code."),
    "classes as a list": ("{CE01: 125000, CE02: 333300, CE03: 1500000}", "[1, 2]",
                          "classes: must hold keys and values; got a list. Write it in braces: "
                          "{key: value}."),
    "a class that is not there": ("cap:", "null_as: X, cap:",
                                  "null_as: must be one of the codes; got 'X'. Name one of the "
                                  "classes."),
    "public": ("cap:", "public: true, cap:",
               "public: is for attributes of workplaces: those of workers and jobs are always "
               "confidential; got true. Leave it out."),
}  # fmt: skip


@pytest.mark.parametrize("bad", REFUSED)
def test_a_wrong_numeric_column_is_refused_in_these_words(bad: str, tmp_path: Path) -> None:
    old, new, says = REFUSED[bad]
    assert old in PAY
    with pytest.raises(LeewardError) as refusal:
        read(tmp_path, book(PAY.replace(old, new, 1)))
    assert str(refusal.value) == f"codebook.attributes.pay.{says}"


def test_low_is_below_the_cap_and_all_that_is_wrong_is_told(tmp_path: Path) -> None:
    entry = "{table: jobs, type: integer, unit: cent, low: 5, cap: 5, classes: {a: 4}}"
    with pytest.raises(LeewardError) as refusal:
        read(tmp_path, book(entry))
    told = [(one.parameter, one.value) for one in getattr(refusal.value, "problems", ())]
    assert told == [
        ("codebook.attributes.pay.low", "5, and the cap 5"),
        ("codebook.attributes.pay.classes", "4 of 'a'"),
        ("codebook.attributes.pay.classes", "4 as the last bound, and the cap 5"),
    ]
