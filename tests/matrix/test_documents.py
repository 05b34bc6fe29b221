"""Plans that documents print and no page runs go the same way as those that are run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from leeward.lab.economy import Economy, write_economy
from tests.browser.view import NewView
from tests.docs.page import FENCE, ROOT, is_run
from tests.docs.test_examples import PAGES
from tests.matrix.documents import faults_in
from tests.matrix.office import run, succeed

PLAN_KEYS = {"data", "codebook", "account", "period", "protect", "tables"}


def printed_plans() -> Iterator[tuple[str, str]]:
    """Whole plans of pages whose commands are not run, with a name for each."""
    for page in PAGES:
        if is_run(page):
            continue
        for number, fence in enumerate(FENCE.finditer(page.read_text(encoding="utf-8"))):
            if fence["kind"] == "yaml" and "protect:" in fence["text"]:
                written = yaml.safe_load(fence["text"])
                if isinstance(written, dict) and written.keys() >= PLAN_KEYS:
                    name = f"{page.relative_to(ROOT)}:{number}"
                    yield name, fence["text"]


PRINTED = dict(printed_plans())


@pytest.mark.parametrize("name", PRINTED)
def test_a_printed_plan_goes_through_every_consumer(
    name: str, tmp_path: Path, view: NewView
) -> None:
    text = PRINTED[name].replace(
        "  engine: spark\n", ""
    )  # that row is in `tests/publishing/engines/spark`
    written = yaml.safe_load(text)
    home = (tmp_path / written["codebook"]).parent
    write_economy(Economy(jobs=3000, establishments=150, seed=1), home)
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    account = ("ledger", "create", "--account", written["account"], "--policy", "strong")
    succeed(run(tmp_path, *account, "--alpha", "0.1", "--epsilon", "4"))
    succeed(run(tmp_path, "check", plan))
    succeed(run(tmp_path, "release", plan, "--out", "bundle", "--ledger", "ledger.sqlite"))
    assert "\n".join(faults_in(tmp_path, view())) == ""


def test_there_are_printed_plans() -> None:
    pages = {name.partition(":")[0] for name in PRINTED}
    assert {"README.md", "docs/reference/plan.md", "docs/how-to/spark.md"} <= pages
