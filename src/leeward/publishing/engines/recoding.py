"""Recoding: from the texts that columns hold to profiles and on to cells, by joins with maps.

A join serves every database, and code lists of any length, alike.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add

import pyarrow as pa

from leeward.core.codebook import LEFT_OUT, Attribute, NumericRange
from leeward.publishing.engines.code_classes import Profile, Side, TextClasses
from leeward.publishing.engines.database import Column, Scratch, Table, can, ibis


def as_text(column: Column) -> Column:
    """A column as the text that code lists are compared with."""
    kind = column.type()
    if kind.is_string():
        return column
    if kind.is_boolean():
        return ibis.cases((column, "true"), (~column, "false"))
    return column.cast("string")


def stripped(text: Column) -> Column:
    """A text without blanks around it."""
    if text.get_backend().name == "pyspark":
        # Spark would strip the letters v and f, which Ibis 12 writes for two of the blanks.
        return text.re_replace(r"^\s+|\s+$", "")
    return text.strip()


ZEROS_BEHIND = r"^[0-9]+[.]0+$"
"""A whole number as programs write it that read a column of ids as numbers."""


def without_zeros_behind(text: Column) -> Column:
    """A text; of a whole number such as 17.0 the digits before the point."""
    return ibis.ifelse(text.re_search(ZEROS_BEHIND), text.re_replace("[.]0+$", ""), text)


def without_zeros_before(text: Column) -> Column:
    """A text; of digits such as 0017 those behind the leading zeros."""
    digits = text.re_replace("^0+", "")
    shorter = ibis.ifelse(digits.length() == 0, "0", digits)
    return ibis.ifelse(text.re_search("^0[0-9]*$"), shorter, text)


def plain_id(text: Column) -> Column:
    """An id without what programs add or lose: blanks around it, `.0` behind it, leading zeros."""
    return without_zeros_before(without_zeros_behind(stripped(text)))


FRACTION = "a number with a fraction\N{ZERO WIDTH SPACE}"
"""The text of such a number; no code contains a character that is not printable."""

EXACT = 2**53
"""Below this, float64 distinguishes all whole numbers."""

LARGE = 10**18
"""The number that replaces every larger one: no code, id or bound is as large."""


def code_text(column: Column) -> Column:
    """A column of codes as text; of floats and decimals, whole ones as whole numbers."""
    if not may_be_fractions(column):
        return as_text(column)
    texts = whole_number(column).cast("string").fill_null(FRACTION)
    return ibis.cases((_is_number(column), texts))


def with_nulls(table: Table, nulls: Mapping[str, Iterable[str]]) -> Table:
    """The table with a null in place of the texts of each column that mean missing."""
    without = {
        name: ibis.cases((code_text(table[name]).isin([*texts]), ibis.null()), else_=table[name])
        for name, texts in nulls.items()
        if texts
    }
    return table.mutate(**without) if without else table


_BYTES = ibis.udf.scalar.builtin(
    lambda text, form: (text, form), name="convert_to", signature=(("string", "string"), "binary")
)


def ordered_text(column: Column) -> Column:
    """The text of an id or a code, to be ordered byte by byte, whatever type the column has.

    PostgreSQL would order the text of a number or a truth value as the language of the database
    does; texts of columns are compared byte by byte already.
    """
    text = code_text(column)
    foreign = column.get_backend().name == "postgres" and not column.type().is_string()
    return _BYTES(text, "UTF8") if foreign else text


def whole_number(column: Column) -> Column:
    """The whole numbers of a column of floats; a null in place of every other value.

    No value is converted that is not whole: some databases would refuse the query for it.
    """
    value = _as_float(column)
    safe = ibis.ifelse(value.abs() < EXACT, value, 0.5)
    whole = safe.cast("int64")
    return ibis.cases((whole.cast("float64") == safe, whole))


def _as_float(column: Column) -> Column:
    """A column in float64; PostgreSQL refuses to convert a numeric of more than 308 digits."""
    if not column.type().is_decimal() or column.type().precision is not None:
        return column.cast("float64")
    large = ibis.ifelse(column > 0, float(LARGE), -float(LARGE))
    return ibis.cases(
        (column.abs() < LARGE, column.cast("float64")), (column.cast("string") != "NaN", large)
    )


def may_be_fractions(column: Column) -> bool:
    """Whether the type is one of numbers that need not be whole: floats, decimals with a scale."""
    kind = column.type()
    return bool(kind.is_floating() or (kind.is_decimal() and kind.scale != 0))


def _is_number(column: Column) -> Column:
    present = column.notnull()
    nan = column.type().is_floating() and can(column, "IsNan")
    return present & ~column.isnan() if nan else present


def present(column: Column) -> Column:
    """The values of a column; a null in place of what is no number in a column of floats."""
    return ibis.cases((_is_number(column), column)) if column.type().is_floating() else column


NUMBER = r"^[+-]?[0-9]{1,99}(\.[0-9]{1,99})?([eE][+-]?[0-9]{1,2})?$"
"""A number in a column of texts; none of them is too large for float64."""

NO_NUMBER = r"[^0-9eE.+-]"
"""A sign that no number has."""


def number(column: Column) -> Column:
    """The numbers of a numeric column; a null in place of everything else."""
    kind = column.type()
    if kind.is_integer():
        return without_texts(column)
    if kind.is_string():
        # In Java `$` also matches before a last line separator, which the second pattern refuses.
        readable = column.re_search(NUMBER) & ~column.re_search(NO_NUMBER)
        return ibis.cases((readable, ibis.ifelse(readable, column, "0").cast("float64")))
    value = _as_float(column)
    return ibis.cases((_is_number(value), value))


def without_texts(column: Column) -> Column:
    """The numbers of a column of numbers: in SQLite such a column may hold texts."""
    if column.get_backend().name != "sqlite":
        return column
    return ibis.cases((column.typeof() != "text", column))


def has_fraction(value: Column) -> Column:
    """Whether a number that `number` gave is not whole."""
    if value.type().is_integer():
        return ibis.literal(False)
    return (value.abs() < EXACT) & whole_number(value).isnull()


def is_below(value: Column, bound: int) -> Column:
    """Whether a number is below a bound; unsigned integers cannot be compared with negatives."""
    if bound <= 0 and value.type().is_unsigned_integer():
        return ibis.literal(False)
    return value < bound


def class_text(column: Column, numbers: NumericRange) -> Column:
    """The code of the class of each number; a null for what is not a number.

    A fraction is rounded down, and numbers beyond either end fall into the outermost class.
    """
    value = number(column)
    *lower, (highest, _) = numbers.bounds
    steps = ((is_below(value, bound + 1), code) for code, bound in lower)
    return ibis.cases(*steps, (value.notnull(), highest))


def listed_code(table: Table, attribute: Attribute) -> Column:
    """The position of each row's code in the list of an attribute; a null where it has none.

    A text that the database takes for several listed ones has the position of one of them, and
    counts in no cell.
    """
    column, numbers = table[attribute.column], attribute.numbers
    text = code_text(column) if numbers is None else class_text(column, numbers)
    listed = ((code, at) for code, at in attribute.recode.items() if at != LEFT_OUT)
    return ibis.cases(*((text == code, at) for code, at in listed))


def whole_pay(column: Column, numbers: NumericRange) -> Column:
    """The pay of each row, a whole number from low to cap; without a number it is the low one."""
    whole, beyond = whole_inside(column, numbers.low, numbers.cap)
    low, cap = (ibis.literal(end, "int64") for end in (numbers.low, numbers.cap))
    return ibis.cases((whole.notnull(), whole), (beyond, cap), else_=low)


def whole_inside(column: Column, low: int, cap: int) -> tuple[Column, Column]:
    """The numbers from low to below cap, a null in place of all else; and who is beyond the cap.

    A fraction is rounded down. No value is converted that might not fit: some databases would
    refuse the query for it. Decimals stay decimals, which float64 would round.
    """
    value = number(column)
    if column.type().is_decimal() and column.type().scale != 0:
        value = ibis.cases((value >= min(low, 0), column)).floor()
    beyond = ~is_below(value, cap)
    inside = ibis.cases((~beyond & ~is_below(value, low), value))
    return (inside.floor() if inside.type().is_floating() else inside).cast("int64"), beyond


def same_id(left: Column, right: Column) -> Column:
    """Whether two ids are equal: as numbers if both are, else as texts."""
    if left.type().is_integer() and right.type().is_integer():
        return left == right
    return as_text(left) == as_text(right)


def profile_name(index: int) -> str:
    """The column that holds the value of the profile of this number."""
    return f"profile_{index}"


def recoded(
    scratch: Scratch,
    table: Table,
    kept: Mapping[str, Column],
    profiles: Sequence[Profile],
    *,
    first: int = 0,
    ambiguous: bool = False,
) -> Table:
    """Columns of the table under new names and the row's value of each profile, from `first` on.

    With `ambiguous` a text that the database takes for several listed ones counts as unlisted.
    """
    shares = [(k, *share) for k, profile in enumerate(profiles) for share in profile.shares()]
    raw = {
        f"raw_{n}": class_or_code(table[classes.column], classes)
        for n, (_, classes, _) in enumerate(shares)
    }
    chosen = table.select(**kept, **raw)
    for n, (_, classes, adds) in enumerate(shares):
        texts = pa.table({f"text_{n}": list(classes.texts), f"adds_{n}": adds[:-2].astype("int32")})
        known = scratch.keep(texts)
        if ambiguous:
            # The texts of the column that are one listed text each.
            raw_texts = chosen[f"raw_{n}"].as_table().rename(held=f"raw_{n}").distinct()
            matches = raw_texts.join(known, raw_texts.held == known[f"text_{n}"])
            each = matches.group_by("held").aggregate(
                **{f"adds_{n}": matches[f"adds_{n}"].min(), "listed": matches.count()}
            )
            once = each.filter(each.listed == 1)
            known = scratch.keep(once.select(f"adds_{n}", **{f"text_{n}": "held"}))
        chosen = chosen.left_join(known, chosen[f"raw_{n}"] == known[f"text_{n}"])
    terms: dict[str, list[Column]] = defaultdict(list)
    for n, (k, _, adds) in enumerate(shares):
        missing, unlisted = adds[-2:].tolist()
        rest = ibis.ifelse(chosen[f"raw_{n}"].isnull(), missing, unlisted)
        terms[profile_name(first + k)].append(ibis.coalesce(chosen[f"adds_{n}"], rest))
    values = {name: reduce(add, parts).cast("int32") for name, parts in terms.items()}
    return chosen.select(*kept, **values)


def class_or_code(column: Column, of: Attribute | TextClasses) -> Column:
    """A column as the texts that its codes are known by; of numbers, those of classes."""
    return code_text(column) if of.numbers is None else class_text(column, of.numbers)


def numbered(scratch: Scratch, table: Table, profiles: Sequence[Profile], side: Side) -> Table:
    """The rows whose codes all count in a table, with the number of their cell in 64 bits."""
    for k, profile in enumerate(profiles):
        if profile.concerns(side):
            values, adds = profile.parts(side)
            known = pa.table({f"value_{k}": values.astype("int32"), f"part_{k}": adds})
            cells = scratch.keep(known)
            table = table.join(cells, table[profile_name(k)] == cells[f"value_{k}"])
    parts = [table[name] for name in table.columns if name.startswith("part_")]
    return table.mutate(number=reduce(add, parts) if parts else ibis.literal(0, "int64"))


def known_texts(attributes: Sequence[Attribute]) -> pa.Table:
    """The texts that the codebook knows, with the number of their attribute."""
    pairs = [(k, text) for k, listed in enumerate(attributes) for text in listed.recode]
    numbers, texts = pa.array([k for k, _ in pairs], pa.int32()), [text for _, text in pairs]
    return pa.table({"attribute": numbers, "text": pa.array(texts, pa.string())})
