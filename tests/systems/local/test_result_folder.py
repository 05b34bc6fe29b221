"""A result is sealed, and whatever is changed in it is found."""

import json
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import leeward
from leeward.core.errors import LeewardError
from leeward.publishing.bundle.bundle_files import checksum_list, sha256
from leeward.systems.local import aggregate, encode
from leeward.systems.local.result_folder import SEALED, write_result
from tests.systems.local.surveys import SEVERAL, survey

Json = dict[str, Any]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    asked = survey(SEVERAL, ask="one")
    columns = {"pay": [*"abcdef"] * 20, "harassed": ["yes", "no"] * 60}
    regions = {"region": ["north"] * 90 + ["south"] * 30}
    target = tmp_path_factory.mktemp("sealed") / "council"
    write_result(aggregate(asked, encode(asked, columns, strata=regions)), target)
    return target


def test_a_result_is_sound_and_says_what_it_must(sealed: Path) -> None:
    assert leeward.verify(sealed).problems == ()
    told = json.loads((sealed / "certificate.json").read_bytes())
    assert [one["reports"] for one in told["strata"]] == [90, 30]
    assert sum(one["asked"] for one in told["questions"]) == told["reports"] == 120
    assert told["guarantee"]["in_all"] == "4"
    said = " ".join((*told["guarantee"]["sentences"], *told["notes"]))
    for fact in ("number of reports of a stratum is public", "NOT protect employers",
                 "One false report moves", "90 of 100", "asked one question"):  # fmt: skip
        assert fact in said
    law = told["survey"]["questions"][0]["law"]
    assert law["threshold"].isdecimal()


def test_a_folder_that_exists_is_not_touched(sealed: Path) -> None:
    asked = survey()
    with pytest.raises(LeewardError, match="must not exist"):
        write_result(aggregate(asked, encode(asked, ["yes"])), sealed)
    assert leeward.verify(sealed).sound


def test_no_ledger_belongs_to_a_result(sealed: Path, tmp_path: Path) -> None:
    (finding,) = leeward.verify(sealed, ledger=tmp_path / "none.sqlite").problems
    assert "no ledger" in finding


def resealed(folder: Path, change: Callable[[Json, Json], None] | None) -> None:
    """Change result and certificate, and recompute every checksum as a forger would."""
    told = json.loads((folder / "certificate.json").read_bytes())
    if change:
        result = json.loads((folder / "result.json").read_bytes())
        change(result, told)
        (folder / "result.json").write_text(as_written(result))
    for one in SEALED:
        told["files"][one] = {"sha256": sha256(folder / one),
                              "bytes": (folder / one).stat().st_size}  # fmt: skip
    (folder / "certificate.json").write_text(as_written(told))
    names = (*SEALED, "certificate.json")
    (folder / "checksums.txt").write_bytes(checksum_list({one: sha256(folder / one)
                                                          for one in names}))  # fmt: skip


def as_written(content: Json) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def more(result: Json, _: Json) -> None:
    result["tables"][0]["answers"][0]["count"] += 1


def another_share(result: Json, _: Json) -> None:
    result["tables"][0]["answers"][0]["share"] += 0.01


def another_answer(result: Json, _: Json) -> None:
    result["tables"][0]["answers"][0]["code"] = "z"


def more_reports(_: Json, told: Json) -> None:
    told["reports"] += 1


def threshold(_: Json, told: Json) -> None:
    told["survey"]["questions"][0]["law"]["threshold"] = "1"


def promise(_: Json, told: Json) -> None:
    told["guarantee"]["sentences"][0] = "Nobody learns anything."


def epsilon(_: Json, told: Json) -> None:
    told["survey"]["epsilon"] = "1"


def another_key(_: Json, told: Json) -> None:
    told["colour"] = "red"


def halved_margins(result: Json, _: Json) -> None:
    for one in result["tables"][0]["answers"]:
        one["count_margin"] /= 2
        one["share_margin"] /= 2


def beyond_reports(result: Json, _: Json) -> None:
    """Counts that add up to all reports, with the shares that follow."""
    table = result["tables"][1]
    for one, sign in zip(table["answers"], (1, -1), strict=True):
        one["count"] = table["reports"] * (0.5 + sign)
        one["share"], one["projected"] = 0.5 + sign, (1 + sign) / 2


def confidence(result: Json, _: Json) -> None:
    result["confidence"] = 99


def other_stratum(result: Json, _: Json) -> None:
    result["tables"][2]["reports"] += 1


def no_reports(result: Json, _: Json) -> None:
    for one in result["tables"]:
        one["reports"] = one["asked"] = 0


def stratum_twice(result: Json, _: Json) -> None:
    for one in result["tables"][2:]:
        one["stratum"] = {"region": "north"}


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (halved_margins, "margins that do not follow"),
        (beyond_reports, "counts that no reports give"),
        (confidence, "another confidence"),
        (other_stratum, "do not add up"),
        (no_reports, "do not add up"),
        (stratum_twice, "do not add up"),
        (more, "result.csv does not agree"),
        (another_share, "shares that do not follow"),
        (another_answer, "other answers than the survey"),
        (more_reports, "other numbers of reports"),
        (threshold, "thresholds that follow from it"),
        (epsilon, "thresholds that follow from it"),
        (promise, "promises something else"),
        (another_key, "is not what `leeward local aggregate` writes"),
    ],
)
def test_a_forged_result_is_found(
    sealed: Path, tmp_path: Path, change: Callable[[Json, Json], None], finding: str
) -> None:
    shutil.copytree(sealed, tmp_path / "council")
    resealed(tmp_path / "council", change)
    assert any(finding in one for one in leeward.verify(tmp_path / "council").problems)


def test_json_that_is_too_deep_is_refused(sealed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "council"
    shutil.copytree(sealed, folder)
    (folder / "result.json").write_text("[" * 5_000)
    resealed(folder, None)
    assert any("cannot be read" in one for one in leeward.verify(folder).problems)


def test_estimates_that_are_larger_than_their_survey_are_not_read(
    sealed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "council"
    shutil.copytree(sealed, folder)
    (folder / "result.json").write_text("[" + "{}," * 100_000 + "0]")
    resealed(folder, None)
    found = leeward.verify(folder).problems
    assert found == ("result.json is larger than its survey can need",)


def test_a_certificate_of_many_keys_is_not_parsed(sealed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "council"
    shutil.copytree(sealed, folder)
    (folder / "certificate.json").write_text('{"kind":[' + "{}," * 600_000 + "0]}")
    tracemalloc.start()
    found = leeward.verify(folder).problems
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == ("certificate.json is not what `leeward local aggregate` writes",)
    assert most < 10_000_000


@pytest.mark.parametrize("method", ["hadamard", "sketch", "hashing", "projective", "unary"])
def test_an_honest_result_of_every_law_is_sound(method: str, tmp_path: Path) -> None:
    asked = survey(SEVERAL, ask="one", method=method)
    columns = {"pay": [*"aaaaab"], "harassed": ["no"] * 6}
    regions = {"region": ["north"] * 5 + ["south"]}
    write_result(aggregate(asked, encode(asked, columns, strata=regions)), tmp_path / "few")
    assert leeward.verify(tmp_path / "few").problems == ()


@pytest.mark.parametrize("name", [*SEALED[1:], "certificate.json", "checksums.txt"])
def test_a_changed_or_missing_file_is_found(sealed: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "council"
    shutil.copytree(sealed, folder)
    with (folder / name).open("ab") as file:
        file.write(b" ")
    assert not leeward.verify(folder).sound
    (folder / name).unlink()
    assert f"{name} is missing" in leeward.verify(folder).problems
    shutil.copy(sealed / name, folder / name)
    (folder / "more.txt").touch()
    assert leeward.verify(folder).problems == ("'more.txt' does not belong there",)


def test_of_a_long_list_the_largest_estimates_are_shown(tmp_path: Path) -> None:
    asked = survey(answers=[str(at) for at in range(60)], epsilon="8")
    write_result(aggregate(asked, encode(asked, [59] * 400 + [*range(40)])), tmp_path / "long")
    page = (tmp_path / "long" / "report.html").read_text()
    assert "35 answers with smaller estimates are in result.csv" in page
    assert '<th scope="row">59</th>' in page
    assert leeward.verify(tmp_path / "long").sound
