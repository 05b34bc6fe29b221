"""Every sentence about a guarantee is true on its worlds, and every false one is caught."""

import re
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from docs.slot import current
from docs.tables import TABLES
from leeward.core.codebook import EveryJob, JobsRule, PrimaryJob
from leeward.core.mechanisms import mechanism
from leeward.core.privacy import Guarantee, policy, sentences
from leeward.core.privacy.words import IDS, Sentence
from leeward.core.privacy.workforces import Counts, Database
from leeward.lab.audit import examine
from leeward.lab.audit.false_promises import false_promises
from leeward.lab.audit.promises import (
    JOB_PAIRS,
    PAIRS,
    SURVEYS,
    Promise,
    examined,
    printable,
    printed,
)
from leeward.lab.audit.publication import Publication, settings
from leeward.lab.audit.reading_exam import READING
from leeward.lab.audit.worlds import Possibilities, PossibleWorld, WorldPair, alike, alone, make_up

SOURCE = Path(__file__).parents[3] / "src" / "leeward"


@pytest.fixture(scope="module")
def rows() -> list[Promise]:
    return list(examine())


def test_every_sentence_is_confirmed_and_every_false_one_rejected(rows: list[Promise]) -> None:
    assert [row.as_json() for row in rows if not row.as_expected] == []
    assert {row.verdict for row in rows if row.control} == {"rejected"}


def test_every_id_has_worlds_and_is_examined(rows: list[Promise]) -> None:
    explained = {"further", "zcdp"}  # measured on neighbours, not on worlds
    compared = {"curve"}  # of sizes
    assert {*PAIRS, *JOB_PAIRS, *explained, *SURVEYS, *compared} == set(IDS)
    assert {row.id for row in rows if not row.control} == {*IDS, *READING}


def test_ids_that_are_printed_are_in_the_list() -> None:
    made = [Guarantee("strong", "0.1", 1, "1e-6", "0.1"), *(s.guarantee for s in settings())]
    rules: list[JobsRule] = [EveryJob(), PrimaryJob("pay")]
    found = {
        sentence.id
        for guarantee, rule, by_cell in product(made, rules, (True, False))
        for sentence in printable(guarantee, rule, by_cell=by_cell)
    }
    assert found <= set(IDS)


def test_no_other_module_speaks_of_odds_factors_or_promises() -> None:
    """A sentence outside the one place would escape the examiner."""
    phrases = "the odds|odds change|is hidden within|person works here"
    spoken_of = re.compile(rf"""["'f ].*\b({phrases})\b""")
    names = (
        "sentences",
        "job_sentences",
        "pay_sentences",
        "local_privacy",
        "words",
        "odds_of_suspicion",
    )
    allowed = {f"core/privacy/{name}.py" for name in names}
    found = [
        f"{path.relative_to(SOURCE)}:{number}"
        for path in sorted(SOURCE.rglob("*"))
        if path.suffix in (".py", ".j2") and str(path.relative_to(SOURCE)) not in allowed
        and path.parent.name not in ("audit", "words")  # examines them; speaks of evaluations
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if spoken_of.search(line) and '"""' not in line
    ]  # fmt: skip
    assert found == []


def test_rows_are_numbers(rows: list[Promise]) -> None:
    keys = [
        "id",
        "policy",
        "mechanism",
        "alpha",
        "epsilon",
        "promised",
        "computed",
        "verdict",
        "control",
    ]
    for row in rows:
        shown = row.as_json()
        assert list(shown) == keys
        assert all(isinstance(shown[k], float) or shown[k] == "inf" for k in keys[5:7])
        assert shown["verdict"] in ("confirmed", "rejected", "undecided")


def loss(name: str, before: int, after: int) -> float:
    setting = Publication("strong", mechanism(name, alpha="0.1", epsilon="1"), "all jobs")
    return float(setting.loss(WorldPair(alone((before,)), alone((after,)))))


@pytest.mark.parametrize(("after", "expected"), [(17, 1.3132), (16, 0.6771)])
def test_fifteen_and_seventeen_are_two_steps(after: int, expected: float) -> None:
    assert loss("slope", 15, after) == pytest.approx(expected, abs=5e-5)


def test_the_share_of_a_minority_is_told_apart(rows: list[Promise]) -> None:
    (old,) = [row for row in rows if row.id == "share-within-alpha"]
    assert float(old.computed) > 12.07
    assert old.verdict == "rejected"


def neighbours(population: Possibilities, force: Counts, largest: int) -> Iterator[Counts]:
    for other in product(range(largest + 1), repeat=len(force)):
        if sum(other) <= largest and population.policy.admits(
            Database.of(force), Database.of(other), population.alpha
        ):
            yield other


def steps(population: Possibilities, before: Counts, after: Counts, largest: int) -> int:
    """The shortest path in the graph of neighbours, by breadth-first search."""
    reached, waiting = {before: 0}, deque([before])
    while waiting:
        force = waiting.popleft()
        if force == after:
            return reached[force]
        for other in neighbours(population, force, largest):
            if other not in reached:
                reached[other] = reached[force] + 1
                waiting.append(other)
    raise AssertionError("every workforce can be reached")


def single(world: PossibleWorld) -> Counts | None:
    forces = [force for cell in world.cells for force in cell.establishments]
    return forces[0].jobs if len(forces) == 1 else None


STEPS = {"person": 1, "person-moved": 2, "size": 1, "group": 2, "size-far": 1}
"""What the sentences print under policies of single jobs, written down again."""


@pytest.mark.parametrize("name", ["strong", "weak", "worker"])
def test_worlds_are_as_many_steps_apart_as_is_said(name: str) -> None:
    alpha = None if name == "worker" else Fraction(1, 2)
    population = Possibilities(policy(name), alpha, 2)
    looked = 0
    for id_ in ("person", "person-moved", *(("size", "group", "size-far") if alpha else ())):
        for pair in PAIRS[id_](population):
            before, after = single(pair.before), single(pair.after)
            if before is None or after is None or max(sum(before), sum(after)) > 9:
                continue
            looked += 1
            assert steps(population, before, after, 12) <= STEPS[id_] * pair.times, (id_, pair)
    assert looked > 15


def test_make_ups_that_are_alike_in_every_group_are_two_weak_steps_apart() -> None:
    population = Possibilities(policy("weak"), Fraction(1, 2), 4)
    forces = [f for f in product(range(3), repeat=4) if sum(f) == 4]
    pairs_ = [(a, b) for a in forces for b in forces if a < b]
    near = [(a, b) for a, b in pairs_ if alike(population, a, b)]
    assert len(near) > 10
    assert all(steps(population, a, b, 6) <= 2 for a, b in near)
    # Every kind by itself is not enough: four kinds of one worker each.
    apart = ((1, 1, 0, 0), (0, 0, 1, 1))
    assert not alike(population, *apart)
    assert steps(population, *apart, 6) == 4
    assert list(make_up(population))


TIGHT = {
    *("policy", "person", "person-moved", "size", "firm", "jobs", "job-displaced"),
    *("jobs-elsewhere", "scope"),
}
"""Sentences whose number the slope mechanism reaches."""


def test_a_sentence_that_says_too_little_is_rejected() -> None:
    """Known bad: an examiner that restates a loss by the steps of the sentence it judges."""
    setting = settings()[0]
    seen = set()
    for sentence, rule in printed(setting):
        if sentence.id in TIGHT and sentence.steps is not None:
            seen.add(sentence.id)
            less = Sentence(sentence.id, sentence.text, sentence.steps - 1)
            assert examined(setting, sentence, rule).verdict == "confirmed"
            assert examined(setting, less, rule).verdict == "rejected", (sentence.id, rule)
    assert seen == TIGHT


def test_an_examiner_without_worlds_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PAIRS, "size", lambda _: iter(()))
    said = next(s for s, _ in printed(settings()[0]) if s.id == "size")
    with pytest.raises(ValueError, match="not examined"):
        examined(settings()[0], said, EveryJob())


def test_a_warning_must_be_right() -> None:
    """What is said not to be hidden must really lose more than a step."""
    strong = settings()[0]
    row = examined(strong, Sentence("size-open", "It does NOT protect sizes."), EveryJob())
    assert row.verdict == "rejected"


def test_the_old_weak_sentence_is_no_longer_printed() -> None:
    text = (
        Guarantee("weak", "0.1", 1).sentence()
        + sentences.make_up(Guarantee("weak", "0.1", 1), ("sex",), by_cell=True).text
    )
    assert "share of each kind" not in text
    assert len(list(false_promises())) >= 8


def test_the_page_shows_the_false_sentences() -> None:
    page, made = TABLES["false-promises"]
    assert current(page, "false-promises") == made()
