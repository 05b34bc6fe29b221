"""Public parts: the price of tables with filters, against every combination of codes."""

import random
from fractions import Fraction
from itertools import product

import pytest

from leeward.core.codebook.attribute import TABLES
from leeward.core.privacy import Guarantee, Policy, policy, public_parts
from leeward.core.privacy.policy import with_unit
from leeward.core.privacy.public_parts import Kept, PricedTables, PublicParts, separating

STRONG = policy("strong")
CODES = {"place": "abc", "sector": "xyz", "size": "12"}


def table(**kept: str) -> Kept:
    """A table that keeps these codes."""
    return {name: frozenset(codes) for name, codes in kept.items()}


def costs(*epsilons: int | str) -> list[Guarantee]:
    return [Guarantee("strong", "0.1", Fraction(epsilon)) for epsilon in epsilons]


def reason(parts: PublicParts, names: list[str], charges: list[Guarantee]) -> str:
    return PricedTables(parts, tuple(names), tuple(charges)).sentence


def truth(kept: list[Kept], charges: list[Guarantee], loss: str) -> Fraction:
    """The largest sum over all combinations of codes, one by one."""
    every = (dict(zip(CODES, codes, strict=True)) for codes in product(*CODES.values()))
    return max(
        sum(
            (
                getattr(charge, loss)
                for codes, charge in zip(kept, charges, strict=True)
                if all(at[name] in codes[name] for name in codes)
            ),
            Fraction(0),
        )
        for at in every
    )


def test_the_price_is_that_of_the_combination_with_the_most() -> None:
    drawn = random.Random(1)  # noqa: S311
    for _ in range(200):
        kept, charges = list[Kept](), list[Guarantee]()
        for _ in range(drawn.randint(1, 6)):
            names = [name for name in CODES if drawn.random() < 0.5]
            some = {
                n: "".join(drawn.sample(CODES[n], drawn.randint(1, len(CODES[n])))) for n in names
            }
            kept.append(table(**some))
            losses = [Fraction(drawn.randint(1, 9)) for _ in range(3)]
            job = Fraction(1, drawn.randint(1, 9))
            charges.append(
                Guarantee("strong", "0.1", losses[0], losses[1] / 100, losses[2], epsilon_job=job)
            )
        price = PublicParts.of(STRONG, kept).price(charges)
        for loss in ("epsilon", "delta", "rho", "epsilon_job", "rho_job"):
            assert getattr(price, loss) == truth(kept, charges, loss)


def test_each_loss_has_its_own_largest_sum() -> None:
    parts = PublicParts.of(STRONG, [table(place="a"), table(place="b")])
    charges = [Guarantee("strong", "0.1", 3, rho=1), Guarantee("strong", "0.1", 1, rho=2)]
    price = parts.price(charges)
    assert price == Guarantee("strong", "0.1", 3, rho=2)


def test_tables_without_filters_add_up() -> None:
    parts = PublicParts.of(STRONG, [table(), table(place="a")])
    assert not parts.apart
    assert parts.price(costs(1, 2)).epsilon == 3
    assert reason(parts, ["t", "u"], costs(1, 2)) == ""


def test_the_reason_names_the_codes_and_the_tables() -> None:
    parts = PublicParts.of(STRONG, [table(), table(place="a"), table(place="b")])
    assert reason(parts, ["all", "first", "second"], costs(1, 2, "1/2")) == (
        "Each establishment has one code of place, so the price is the largest sum over tables "
        "that count the same codes: epsilon 3 for place a (all and first). All tables together "
        "would add up to 3.5."
    )


def test_too_many_parts_add_up_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten attributes of two codes have 2^10 parts; nothing is enumerated beyond the bound."""
    kept = [{f"a{n}": frozenset(code)} for n in range(10) for code in "xy"]
    parts = PublicParts.of(STRONG, kept)
    assert parts.too_many
    assert parts.price(costs(*[1] * 20)).epsilon == 20
    assert "more than 1,000 parts" in reason(parts, ["t"] * 20, costs(*[1] * 20))
    monkeypatch.setattr(public_parts, "MOST_PARTS", 1024)
    told_apart = PublicParts.of(STRONG, kept)
    assert len(told_apart.parts) == 1024
    assert told_apart.price(costs(*[1] * 20)).epsilon == 10


def test_thousands_of_codes_are_grouped_by_the_tables_that_keep_them() -> None:
    codes = [f"{n:05}" for n in range(50_000)]
    kept = [{"place": frozenset(codes[:40_000])}, {"place": frozenset(codes[30_000:])}]
    parts = PublicParts.of(STRONG, kept)
    assert [part.tables for part in parts.parts] == [(0, 1)]
    many = PublicParts.of(STRONG, [{"place": frozenset({code})} for code in codes[:1001]])
    assert many.too_many


@pytest.mark.parametrize(
    ("protected", "homes"),
    [
        (STRONG, ("workplaces",)),
        (policy("weak"), ("workplaces",)),
        (policy("proportional"), ("workplaces",)),
        (policy("establishment"), ("workplaces",)),
        (policy("worker"), TABLES),
        (policy("person"), ("workers",)),
        (with_unit(STRONG, "employer"), ()),
    ],
)
def test_what_keeps_tables_apart(protected: Policy, homes: tuple[str, ...]) -> None:
    assert separating(protected) == homes


def test_a_person_is_in_the_tables_of_one_code_of_workers() -> None:
    person = PublicParts.of(policy("person"), [table(sex="F"), table(sex="M")])
    charges = [Guarantee("person", None, epsilon) for epsilon in (2, 3)]
    assert person.price(charges).epsilon == 3
    assert "Each person has one code of sex" in reason(person, ["f", "m"], charges)
