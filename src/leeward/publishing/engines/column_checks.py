"""Column checks: what columns of codes and of numbers hold that the codebook does not say.

CONFIDENTIAL: findings count and quote rows. Only internal commands show them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from leeward.core.codebook import Attribute, Codebook, Finding, NumericRange
from leeward.core.codebook.row_rules import AS_THEY_ARE
from leeward.publishing.engines.near_misses import POINTED, CodeSpelling, number_hints
from leeward.publishing.engines.probes import Probe, Strangers, Wrong

AMBIGUOUS = (
    "The database takes texts for equal that the codebook lists as different codes (upper and "
    "lower case, accents): give the column a binary collation, or change the codes."
)
FILL = "Fill the rows, or name a code with `null_as` in the codebook."
FILL_NUMBER = "Fill the rows with numbers, or name a class with `null_as` in the codebook."
RANGE = "Look at low, cap and unit in the codebook, which say {} to {} {}, or change the rows."
CAPPED = (
    "Their pay counts as {} {}. Keep the cap: one that is chosen after a look at these rows is not "
    "public."
)
WHOLE = "Round the numbers, or declare the column in a smaller unit."
UNIT = (
    "The codebook says {}: is it the unit of the column? Correct unit and period, or the numbers."
)
ONE_CLASS = 20
"""At most one number in so many is outside a class that has nearly all of them."""

FOLDED = "They count as the code that the codebook names with `{}`."
LIST = "List or omit the codes in the codebook, or name a code with `other`."
LIST_FRAME = "List the codes in the codebook, or fold them into a listed one with `other`."
"""The public frame leaves no establishment out, so codes of workplaces are not omitted."""


def judged(finding: Finding, rule: str, *, strict: bool) -> Finding:
    """A finding under the rule by which rows of workers and jobs count, unless the plan is strict.

    The frame is public: what is wrong with it is refused.
    """
    refuses = strict or finding.table == "workplaces"
    return finding if refuses else replace(finding, rule=rule, refuses=False)


@dataclass(frozen=True)
class ColumnChecks:
    """The checks of columns that the codebook declares."""

    probe: Probe
    codebook: Codebook
    strict: bool

    def codes(self) -> Iterator[Finding]:
        """Nulls and texts that the codebook does not know, once for each column."""
        findings: dict[Finding, None] = {}
        columns = {_lookup(attribute): attribute for attribute in self._coded()}
        strangers = dict(zip(columns, self.probe.strangers(list(columns.values())), strict=True))
        for attribute in self._coded():
            if attribute.origin is None:  # the column of a derived one is looked at already
                unknown = self._unknown(attribute, strangers[_lookup(attribute)])
                findings |= dict.fromkeys(unknown)
            # A column of several attributes is looked up in the lists of all of them at once.
            where = attribute.table, attribute.column
            same = [other for other in self._coded() if (other.table, other.column) == where]
            listed = {text for other in same for text in other.recode}
            if attribute is same[0] and listed != set(attribute.recode):
                wrong = self.probe.ambiguous(*where, listed)
                if wrong[0]:
                    findings[self._ambiguous(*where, wrong)] = None
        yield from findings

    def _coded(self) -> list[Attribute]:
        return [column for column in self.codebook.attributes.values() if column.numbers is None]

    def numbers(self) -> Iterator[Finding]:
        """What numeric columns hold beside whole numbers in their range; once for each column."""
        columns: dict[object, Attribute] = {}
        for attribute in self.codebook.numeric:
            column = attribute.table, attribute.column, attribute.numbers
            columns.setdefault(column, attribute)
        for attribute in columns.values():
            if attribute.numbers is not None:
                yield from self._odd_numbers(attribute, attribute.numbers)

    def _odd_numbers(self, attribute: Attribute, numbers: NumericRange) -> Iterator[Finding]:
        where = attribute.table, attribute.column
        odd = self.probe.odd_numbers(attribute, numbers)
        into = _code(attribute, attribute.missing)
        fill = FILL_NUMBER if into is None else FOLDED.format("null_as")
        marks, pointed = number_hints(odd.marked), 2 * odd.pointed > odd.fraction[0]
        cents = numbers.unit.startswith("cent")  # there is no smaller unit
        unit = UNIT.format(numbers.per_period)
        whole = unit if cents else WHOLE
        whole = f"{POINTED.format(odd.pointed)} {whole}" if pointed else whole
        look = RANGE.format(numbers.low, numbers.cap, numbers.unit)
        capped = CAPPED.format(numbers.cap, numbers.per_period) if numbers.cap_from else look
        for problem, wrong, remedy, doubtful in (
            ("missing number", (odd.missing, ()), fill, False),
            ("not a number", odd.unreadable, f"{marks} {fill}".strip(), bool(marks)),
            ("number below low", odd.below, look, False),
            ("number above cap", odd.above, capped, False),
            ("number with a fraction", odd.fraction, whole, pointed or cents),
        ):
            finding = Finding(problem, *where, *wrong, remedy, doubtful=doubtful)
            unread = problem in ("missing number", "not a number")
            rule, code = ("missing_number", into) if unread else ("number_range", None)
            if finding.rows:
                yield self._folded(finding, rule, code, code)
        most = max(odd.classes)
        if len(odd.classes) > 1 and ONE_CLASS * (sum(odd.classes) - most) < most:
            code = numbers.bounds[odd.classes.index(most)][0]
            finding = Finding(f"number in the class {code}", *where, most, (), unit)
            yield replace(finding, rule=AS_THEY_ARE.id, refuses=False)

    def _unknown(self, attribute: Attribute, strangers: Strangers) -> Iterator[Finding]:
        where = attribute.table, attribute.column
        if strangers.ambiguous:
            yield self._ambiguous(*where, (strangers.ambiguous, strangers.doubled))
        if strangers.nulls:
            into = _code(attribute, attribute.missing)
            remedy = FILL if into is None else _folds(attribute, into, "null_as")
            missing = Finding("missing code", *where, strangers.nulls, (), remedy)
            yield self._folded(missing, "missing_code", into, attribute.unknown)
        if strangers.unlisted:
            into = _code(attribute, attribute.unlisted)
            spelled = CodeSpelling(attribute, strangers.sample, self.codebook.library)
            # What the texts are instead of codes; else, or if they are folded, what to do.
            hints = [*dict.fromkeys(spelled.near())]
            explained = bool(hints) and set(strangers.examples) <= set(strangers.near)
            if not explained and (words := spelled.explained()):
                hints.append(words)
                explained = True
            if into is not None:
                hints.append(_folds(attribute, into, "other"))
            elif not explained:
                hints.append(LIST_FRAME if attribute.of_workplaces else LIST)
            wrong = strangers.unlisted, strangers.examples
            unlisted = Finding(
                "unlisted code", *where, *wrong, " ".join(hints), doubtful=into is not None
            )
            yield self._folded(unlisted, "unlisted_code", into, attribute.unknown)

    def _folded(
        self, finding: Finding, rule: str, into: str | None, unknown: str | None
    ) -> Finding:
        """What the codebook folds into a code is no mistake, but it touches rows."""
        if into is None:
            return judged(finding, rule, strict=self.strict)
        doubtful = finding.doubtful or into != unknown
        return replace(finding, rule=rule, refuses=False, into=into, doubtful=doubtful)

    def _ambiguous(self, table: str, column: str, wrong: Wrong) -> Finding:
        """A job would count in several cells."""
        finding = Finding("ambiguous code", table, column, *wrong, AMBIGUOUS)
        return judged(finding, "ambiguous_code", strict=self.strict)


def _code(attribute: Attribute, position: int | None) -> str | None:
    """The code that rows without one count as, if the codebook names it."""
    return None if position is None else attribute.codes[position]


def _folds(attribute: Attribute, into: str, key: str) -> str:
    """What such rows count as; `unknown` implies the two other keys."""
    return FOLDED.format("unknown" if into == attribute.unknown else key)


def _lookup(attribute: Attribute) -> tuple[str, str, frozenset[str]]:
    """The column of an attribute and the texts that it is compared with."""
    return attribute.table, attribute.column, frozenset(attribute.recode)
