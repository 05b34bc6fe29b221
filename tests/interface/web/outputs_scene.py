"""Outputs beside bundles: synthetic rows, lines and a survey, charged and internal."""

from contextlib import chdir
from pathlib import Path

import leeward
from leeward.systems.local import aggregate, encode
from leeward.systems.local.result_folder import write_result
from tests.systems.local.surveys import SEVERAL, survey
from tests.systems.regress import scene as regress
from tests.systems.synth import scene as synth

LEDGER = ("--ledger", "ledger.sqlite", "--account", "office")


def write_outputs(folder: Path) -> None:
    """Write them into the folder `releases`, the first two a second time as internal."""
    leeward.Ledger(folder / "ledger.sqlite").create("office", policy="worker", epsilon="40")
    with chdir(folder):
        synth.write(folder)
        (folder / "releases").mkdir()
        for options, extra in ((LEDGER, ""), (synth.INSIDE, "-inside")):
            done = synth.run("--epsilon", "1", *options, out=f"releases/people{extra}")
            assert done.exit_code == 0, done.output
        regress.write(folder)
        for options, name in ((LEDGER, "lines"), (("--uncharged", "a test"), "lines-inside")):
            done = regress.run(*regress.PRIVATE, *options, "--out", f"releases/{name}")
            assert done.exit_code == 0, done.output
    asked = survey(SEVERAL, ask="one")
    answers = {"pay": [*"abcdef"] * 10, "harassed": ["yes", "no"] * 30}
    clients = encode(asked, answers, strata={"region": ["north"] * 60})
    write_result(aggregate(asked, clients), folder / "releases" / "council")
