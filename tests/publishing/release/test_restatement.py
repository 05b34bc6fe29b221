"""What verify can know of a certificate: every part that follows from others is found if changed.

The parts that follow from no other are listed here, and in docs/reference/bundle.md.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import leeward
from leeward import tidy
from leeward.core.privacy import Guarantee
from leeward.derived.settle.tidy_statements import restated_findings
from leeward.publishing.bundle import Certificate, read_bundle, verify_bundle
from leeward.publishing.bundle.verify import _contents
from leeward.publishing.ledger import Account, Anchor
from leeward.publishing.ledger.account import owed
from leeward.publishing.ledger.box import Box
from leeward.publishing.plan.plan import Plan
from leeward.publishing.release.certify import Draft, certificate
from leeward.publishing.release.charge import Payment, budget
from leeward.publishing.release.restatement import certificate_findings
from tests.interface.commands.scene import Office
from tests.publishing.bundle.tampering import reseal
from tests.publishing.plan import test_classes, test_flows, test_part, test_parts, test_rho
from tests.publishing.plans import STRONG, WEAK, WORKER, planned
from tests.publishing.release import test_pay, test_person
from tests.unchecked import unchecked_release

GIVEN = re.compile(
    r"""
      name | created | corrects      # which folder, when, and which release it corrects
    | software\.(commit|wheel|numpy|duckdb|python_flint|python)
    | data\.fingerprint              # keyed: the ledger confirms it
    | ledger\.(id|entry|head)        # the ledger confirms them
    | tables\[\]\.codes\.\w+\.\w+    # what codes are called, by the codebook
    | tables\[\]\.statistic\.(cap|edges\[\])  # of the codebook, where no sentence names them
    | budget\.spent\.(epsilon|rho)_job  # the ledger confirms them
    | tables\[\]\.rows               # compared with the rows of the files
    | tables\[\]\.totals\.(rows|codes\.\w+)  # compared with the rows of the files
    """,
    re.VERBOSE,
)
"""Leaves that follow from no other part of a certificate, each for its reason."""

BY_SEX = "{name: t, by: [place, sex]}"
PRODUCT = "{name: t, by: [place], breakdowns: [sex], mechanism: joint_pareto}"
PERCENTILES = {"statistic": "percentiles"}
PLANS: dict[str, Callable[[Path], Plan]] = {
    "strong": lambda folder: planned(
        folder,
        "{name: t, by: [place, sector], mechanism: log_laplace, note: Read it twice.}",
        "{name: u, by: [sector, sex], where: {contract: T}, complete: true, mechanism: clipped}",
        protect="{policy: strong, alpha: 0.1, epsilon: 12, plus: 3}",
        more="title: Jobs\njobs: {max_per_worker: 2}\n",
    ),
    "delta": lambda folder: planned(
        folder,
        "{name: t, by: [place, sector], mechanism: smooth_laplace}",
        protect="{policy: strong, alpha: 0.1, epsilon: 8, delta: 1e-9}",
    ),
    "weak": lambda folder: planned(folder, BY_SEX, protect=WEAK, more="rows: strict\n"),
    "worker": lambda folder: planned(folder, BY_SEX, protect=WORKER),
    "part": lambda folder: planned(folder, *test_part.TABLES, more=test_part.PART),
    "parts": lambda folder: planned(folder, *test_parts.PLACES),
    "parts of jobs": lambda folder: planned(folder, *test_parts.LECTURE, protect=WORKER),
    "product": lambda folder: planned(folder, PRODUCT, protect=STRONG),
    "pay": lambda _: test_pay.planned(),
    "percentiles": lambda _: test_classes.planned(PERCENTILES),
    "person": lambda _: test_person.planned({"name": "t", "by": ["place", "years"]}),
    "flows": lambda _: test_flows.planned(test_flows.FLOWS),
    "rho": lambda _: leeward.read_plan(test_rho.request()),
}

Json = dict[str, Any]
Place = tuple[str | int, ...]


def certified(plan: Plan) -> Certificate:
    """What a release of the plan would state, the second of an account."""
    charge = plan.charge
    losses = (5 * one for one in (charge.epsilon, charge.delta, charge.rho))
    return charged(plan, Guarantee(charge.policy, charge.alpha, *losses))


def charged(plan: Plan, cap: Guarantee, box: Box | None = None) -> Certificate:
    """The same with an account of this cap."""
    draft, paid = Draft.of(plan), owed(plan.charge, cap)
    account = Account("office", cap, paid, charges=1, opened="before", box=box).after(paid)
    paying = Payment(Anchor(2, "ab" * 32, "ledger"), "cd" * 32, budget(account, paid))
    return certificate(draft, "bundle", paying, {one.name: (9, 0) for one in draft.tables})


def leaves(part: object, place: Place = ()) -> Iterator[tuple[Place, object]]:
    """Every value with its place; of lists and of lists of codes the first two."""
    if isinstance(part, dict):
        codes = len(place) > 2 and place[-2] == "codes"
        inside: Sequence[tuple[str | int, object]] = [*part.items()][: 2 if codes else None]
    elif isinstance(part, list):
        inside = [*enumerate(part)][:2]
    else:
        yield place, part
        return
    for key, one in inside:
        yield from leaves(one, (*place, key))


def other(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if value is None:
        return 1
    text = str(value)
    if re.fullmatch("[0-9]+(/[0-9]+)?", text):
        return str(Fraction(text) + 1)
    if re.fullmatch("[0-9a-f]{16,}", text):
        return ("1" if text[0] == "0" else "0") + text[1:]
    return text.replace("+00:00", ".5+00:00") if text.endswith("+00:00") else f"{text}x"


def changed(content: Json, place: Place, value: object) -> Json:
    copy = deepcopy(content)
    part: Any = copy
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return copy


def written(place: Place) -> str:
    """A place as documents name it."""
    return ".".join("[]" if isinstance(key, int) else key for key in place).replace(".[]", "[]")


def is_found(content: Json) -> bool:
    try:
        return bool(certificate_findings(Certificate.model_validate_json(json.dumps(content))))
    except ValidationError:
        return True


@pytest.mark.parametrize("name", PLANS)
def test_every_leaf_that_follows_from_others_is_found(tmp_path: Path, name: str) -> None:
    made = certified(PLANS[name](tmp_path))
    content: Json = json.loads(made.to_json())
    assert not is_found(content)
    missed = {
        written(place)
        for place, value in leaves(content)
        if not is_found(changed(content, place, other(value)))
    }
    assert {one for one in missed if not GIVEN.fullmatch(one)} == set()
    # Known bad: the detector does miss what it is said to miss.
    assert {"name", "created", "software.wheel", "ledger.head", "tables[].rows"} <= missed


def test_what_is_left_of_a_divided_account_keeps_its_cap(tmp_path: Path) -> None:
    plan = PLANS["strong"](tmp_path)
    cap = Guarantee(plan.charge.policy, plan.charge.alpha, 100, "1e-6")
    content: Json = json.loads(charged(plan, cap, Box.of(cap, "1/2")).to_json())
    assert not is_found(content)
    for part in ("epsilon", "rho"):
        place = ("budget", "left", part)
        assert is_found(changed(content, place, other(content["budget"]["left"][part])))


def test_a_price_without_its_public_parts_is_found(tmp_path: Path) -> None:
    content: Json = json.loads(certified(PLANS["parts"](tmp_path)).to_json())
    assert (content["guarantee"]["epsilon"], content["parts"]["added"]) == ("4", "6")
    del content["parts"]
    findings = certificate_findings(Certificate.model_validate_json(json.dumps(content)))
    assert findings == ("guarantee is not what its tables cost together",)


def test_a_filter_on_workers_that_is_said_to_keep_tables_apart_is_found(tmp_path: Path) -> None:
    """Men and women at 2 each: the price is 4, and a forger states 2."""
    tables = [f"{{name: t{sex}, by: [place], where: {{sex: {sex}}}}}" for sex in "FM"]
    content: Json = json.loads(certified(planned(tmp_path, *tables)).to_json())
    content["guarantee"]["epsilon"] = "2"
    said = {"attributes": ["sex"], "codes": {"sex": "F"}, "tables": ["tF"], "added": "4"}
    content["parts"] = said | {"sentence": "Each establishment has one code of sex."}
    findings = certificate_findings(Certificate.model_validate_json(json.dumps(content)))
    assert "parts.attributes has an attribute of workers or jobs" in findings
    del content["plan"]["tables"][0]["where"]
    findings = certificate_findings(Certificate.model_validate_json(json.dumps(content)))
    assert findings


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    office = Office(tmp_path_factory.mktemp("office"))
    with chdir(office.folder):
        office.write()
        office.open_account()
        office.released()
    return office.folder / "bundle"


@pytest.fixture
def released(sealed: Path, tmp_path: Path) -> Path:
    """A release that a test may spoil."""
    return Path(shutil.copytree(sealed, tmp_path / "bundle"))


def cheaper(content: Json) -> None:
    content["guarantee"]["epsilon"] = "1/100"


def calmer(content: Json) -> None:
    content["worker"]["sentence"] += " Nothing can be learnt."


def planned_cheaper(content: Json) -> None:
    content["plan"]["protect"]["epsilon"] = "1/100"


def another_program(content: Json) -> None:
    content["software"]["leeward"] = "9.9.9"


@pytest.mark.parametrize("change", [cheaper, calmer, planned_cheaper, another_program])
def test_a_forged_certificate_is_found_without_the_ledger(
    released: Path, change: Callable[[Json], None]
) -> None:
    reseal(released, change)
    assert not leeward.verify(released)


def test_a_version_that_words_differently_is_told_and_not_trusted(released: Path) -> None:
    """The way out of a forger: to name another version. It shows."""

    def old(content: Json) -> None:
        content["leeward"] = content["software"]["leeward"] = "0.4.9"
        content["worker"]["sentence"] = "Nothing can be learnt."

    (released / "report.html").unlink()
    line = released / "version_bundle.txt"
    line.write_text(line.read_text().replace(f"V{leeward.__version__}", "V0.4.9"))
    reseal(released, old)
    found = leeward.verify(released)
    assert found.sound
    (note,) = found.notes
    assert "says that Leeward 0.4.9 made it" in note
    assert "were NOT compared" in note


def test_every_line_of_the_readme_follows(released: Path) -> None:
    path, held = released / "README.txt", read_bundle(released).certificate
    lines = path.read_text().splitlines(keepends=True)
    assert [*_contents(released, held, {"README.txt"})] == []
    for number, line in enumerate(lines):
        path.write_text("".join((*lines[:number], f"{line[:-1]}!\n", *lines[number + 1 :])))
        found = [*_contents(released, held, {"README.txt"})]
        assert found == ["README.txt does not agree with the certificate"], line
    path.write_text("These numbers are exact and carry no noise.\n" + "".join(lines))
    reseal(released)
    assert "README.txt does not agree with the certificate" in verify_bundle(released)


def test_a_description_for_programs_follows_to_the_last_word(released: Path) -> None:
    (path, *_) = sorted((released / "tables").glob("*-metadata.json"))
    path.write_text(path.read_text().replace("at most a factor", "at most the factor"))
    reseal(released)
    assert any("does not describe the table" in one for one in verify_bundle(released))


@pytest.mark.parametrize(
    ("place", "finding"),
    [
        (("made_from", "sentence"), "made_from.sentence does not follow"),
        (("tables", 0, "tidied", "added"), "tables[0].tidied does not follow from the rows"),
        (("tables", 0, "tidied", "sentence"), "tables[0].tidied does not follow from the rows"),
        (("tables", 0, "margins", "note"), "tables[0].margins.note does not follow"),
        (("guarantee", "sentence"), "guarantee.sentence does not follow"),
    ],
)
def test_a_tidy_bundle_says_what_follows_from_its_rows(
    released: Path, place: Place, finding: str
) -> None:
    made = tidy(released, released.with_name("tidy"))
    assert leeward.verify(made.path).sound
    held: Json = json.loads(made.certificate.to_json())
    value = next(one for at, one in leaves(held) if at == place)
    spoilt = Certificate.model_validate_json(json.dumps(changed(held, place, other(value))))
    (found,) = restated_findings(leeward.Bundle(made.path, spoilt))
    assert finding in found


def test_tables_that_a_tidy_bundle_leaves_out_may_have_spent_no_delta(tmp_path: Path) -> None:
    """Of what is left out only `smooth_laplace` spends its part of δ."""
    kinds = ({}, *(PERCENTILES | {"mechanism": name} for name in ("slope", "smooth_laplace")))
    tables = [kind | {"margins": "none", "share": "1/3"} for kind in kinds]
    plan = test_classes.planned(*tables, policy="weak", epsilon="30", delta="3e-5")
    with leeward.Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.create("office", policy="weak", alpha="0.1", epsilon=60, delta="4e-5")
        data = test_classes.tables()
        bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **data)
    made = tidy(bundle.path, tmp_path / "tidy")
    assert [table.name for table in made.certificate.tables] == ["t0"]
    assert made.certificate.guarantee.delta == "1/100000"
    assert leeward.verify(made.path, source=bundle.path).sound
    content: Json = json.loads(made.certificate.to_json())
    for delta in ("1/10000", "1/49999"):  # more than all that are left out can have spent
        forged = changed(content, ("guarantee", "delta"), delta)
        assert certificate_findings(Certificate.model_validate_json(json.dumps(forged)))
