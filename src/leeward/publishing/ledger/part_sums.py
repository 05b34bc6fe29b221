"""Part sums: what an account by disjoint parts of the frame has paid, part by part.

Parts are the codes of a public attribute of workplaces, such as states. The cap is that of each
part (composition.proof.md, Theorem 10P).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import number_text
from leeward.core.privacy import Guarantee, sequential
from leeward.core.privacy.guarantee import over_parts

if TYPE_CHECKING:
    from leeward.publishing.ledger.account import Account
    from leeward.publishing.ledger.entry import Entry

Part = tuple[str, str]
"""A part of the frame: an attribute of workplaces and one of its codes."""


@dataclass(frozen=True)
class PartSums:
    """The payments of an account by parts of `attribute`, in order.

    A payment without a code was made for every part.
    """

    attribute: str
    paid: tuple[tuple[str | None, Guarantee], ...] = ()

    @classmethod
    def of(cls, opening: "Entry", charges: Iterable["Entry"]) -> "PartSums | None":
        """What the parts of an account have paid; None where it is one sum."""
        if opening.parts is None:
            return None
        paid = list[tuple[str | None, Guarantee]]()
        for entry in charges:
            if entry.account == opening.account and entry.paid is not None:
                named, code = (entry.subject and entry.subject.part) or (None, None)
                paid.append((code if named == opening.parts else None, entry.paid))
        return cls(opening.parts, tuple(paid))

    def within(self, code: str | None) -> Guarantee | None:
        """What one part has spent; without a code the largest of all parts; None for nothing."""
        if code is None:
            return self.spent
        own = [paid for other, paid in self.paid if other in (None, code)]
        return sequential(*own) if own else None

    @property
    def codes(self) -> tuple[str, ...]:
        """The parts that paid for something of their own."""
        return tuple(sorted({code for code, _ in self.paid if code is not None}))

    @property
    def spent(self) -> Guarantee | None:
        """What the account has spent: of each loss the largest sum of a part."""
        if not self.codes:
            return sequential(*(paid for _, paid in self.paid)) if self.paid else None
        sums = (self.within(code) for code in self.codes)
        return over_parts(*(spent for spent in sums if spent is not None))

    @property
    def words(self) -> str:
        """What the cap means to those who are in several parts."""
        return (
            f"The cap is that of each part of {self.attribute}. An establishment that is in k "
            "parts over time may lose k times the cap, an employer in k parts as much, and a "
            "person the sum over the parts of all jobs."
        )


def in_part(account: "Account", part: Part | None) -> "Account":
    """The account as a release of a part of the frame sees it: what this part has spent."""
    sums = account.sums
    if sums is None:
        return account
    if part is not None and part[0] != sums.attribute:
        raise InvalidParameter(
            "part",
            rule=f"must be a part of {sums.attribute}: account {account.name!r} has a sum for each "
            "of its codes",
            value=shown(part[0]),
            next_step=f"Write part: {{{sums.attribute}: CODE}}, or leave it out: the release is "
            "then charged to every part.",
        )
    return replace(account, spent=sums.within(None if part is None else part[1]))


def of_parts(account: "Account") -> "dict[str, Account]":
    """The account as each of its parts sees it; nothing where it is one sum."""
    sums = account.sums
    codes = () if sums is None else sums.codes
    return {code: in_part(account, (sums.attribute if sums else "", code)) for code in codes}


def part_lines(account: "Account") -> Iterator[str]:
    """What the cap of an account by parts means, and what is left of each part."""
    if account.sums is not None:
        yield account.sums.words
        for code, part in of_parts(account).items():
            rest = f"{account.cap.currency} {number_text(part.remaining)}"
            yield f"{account.sums.attribute} {code}: {rest} left"


def part_texts(account: "Account") -> dict[str, object]:
    """The same for programs; nothing where the account is one sum."""
    if account.sums is None:
        return {}
    lost = {code: str(part.lost) for code, part in of_parts(account).items()}
    return {"parts": account.sums.attribute, "spent_by_part": lost}
