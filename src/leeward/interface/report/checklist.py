"""Checklist: what a review board confirms before it signs, and where to find it."""

from dataclasses import dataclass

from leeward.core.show.numbers import count, losses, protected, rest
from leeward.publishing.bundle import Certificate


@dataclass(frozen=True)
class Check:
    """A statement to be confirmed, where to look, and what to type if anything."""

    claim: str
    where: str
    command: str | None = None


FOLDER = Check(
    "The folder is what was released, and the ledger confirms it.",
    "The answer must be: is sound and the ledger confirms it.",
    "leeward verify BUNDLE --ledger LEDGER",
)
TABLES = Check(
    "The tables, their identifiers and filters are those that were agreed.",
    "Under “What was released”.",
)
NUMBERS = Check(
    "The numbers of the plan were not chosen by looking at confidential results.",
    "Ask the submitter, also about evaluations of the confidential data.",
)
EARLIER = Check(
    "Earlier releases about the same people and employers were considered, also those of "
    "other accounts and ledgers.",
    "The ledger lists its own; ask for the others.",
    "leeward ledger show --ledger LEDGER",
)
NO_MARGINS = Check(
    "That no value has a margin is accepted, and users know how large the noise may be.",
    "Under each table: its mechanism and its cost.",
)
MARGINS = Check(
    "The margins are narrow enough for the intended use, and what they mean in small cells is "
    "understood.",
    "Under each table: how wide margins are, and in how many cells they reach zero.",
)
READERS = Check(
    "Users learn that negative values are right, and that sums add noise.",
    "Under “How to read the numbers”, and in README.txt.",
)
PEOPLE = Check("Submitter and approver are two different people.", "Below.")


def checks(certificate: Certificate) -> tuple[Check, ...]:
    """Every item, in the order of the report."""
    tables, promise = certificate.tables, certificate.guarantee
    names = dict.fromkeys(name for table in tables for name in table.workplace_identifiers)
    attributes = f"The attributes of workplaces ({', '.join(names)}) are"
    about = attributes if names else "The list of workplaces is"
    allowed = Check(
        f"The promise (policy {protected(promise)}, {losses(promise)}) is one that our rules "
        "allow for these data, and what it does not protect is accepted.",
        "Under “What is promised” and “What is not protected”.",
    )
    public = Check(
        f"{about} public, and the list of workplaces comes from a register, not from the jobs.",
        "Ask the keeper of the register; the program cannot see it.",
    )
    account = Check(
        f"The account is the right one, and what is left ({rest(certificate.budget.left)}) is "
        "enough for what is still to come.",
        "Under “Budget”.",
    )
    margins = MARGINS if any(table.has_margins for table in tables) else NO_MARGINS
    files = Check(
        "The folder has no other file, and none leaves with it: no ledger, no receipt, no "
        "output of a check, no log.",
        f"Under “Certificate and checksums”: {count(len(certificate.files) + 2)} files and "
        "this report. Other files are findings of leeward verify.",
    )
    first = (FOLDER, TABLES, allowed, public, NUMBERS, account, EARLIER)
    return (*first, margins, READERS, files, PEOPLE)
