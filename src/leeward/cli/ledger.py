"""`leeward ledger`: accounts are opened, shown and verified; nothing is ever taken back."""

import json
from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle import read_bundle, verify_bundle
from leeward.bundle.signoff import certificate_digest
from leeward.cli.screen import REFUSED, guarded, say
from leeward.errors import Damaged
from leeward.exact import number_text
from leeward.ledger import Account, Anchor, Entry, Ledger
from leeward.ledger.book import meaning
from leeward.ledger.entry import line, price
from leeward.publishing.ledger_check import subject_findings
from leeward.publishing.reading import read_protection
from leeward.publishing.request import WrittenProtection
from leeward.show.numbers import counted

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The ledger file.")]
DEFAULT = Path("ledger.sqlite")

ledger_app = typer.Typer(
    help="Accounts of privacy loss: create, show, verify, commit, withdraw.", no_args_is_help=True
)


@ledger_app.command("create")
@guarded
def create_command(
    account: Annotated[str, typer.Option(help="Name of the account.")],
    policy: Annotated[str, typer.Option(help="strong, weak, worker or establishment.")],
    epsilon: Annotated[str, typer.Option(help="All that the account may ever lose.")],
    alpha: Annotated[str | None, typer.Option(help="Protected growth, such as 0.1.")] = None,
    delta: Annotated[str, typer.Option(help="All δ that the account may ever lose.")] = "0",
    ledger: LedgerFile = DEFAULT,
) -> None:
    """Open an account with a cap that is set once; makes the ledger if there is none.

    One account stands for one population of establishments: all its periods add up.

    Example: leeward ledger create --account lodes --policy strong --alpha 0.1 --epsilon 16
    """
    written = WrittenProtection(policy=policy, alpha=alpha, epsilon=epsilon, delta=delta)
    cap = read_protection(written)
    book = Ledger.open(ledger) if ledger.exists() else Ledger.create(ledger)
    with book:
        book.open_account(account, cap)
    say(f"Account {account} in {ledger}: {price(cap)} in all, for ever.")
    say(f"  {meaning(cap)[0]}")


@ledger_app.command("show")
@guarded
def show_command(
    ledger: LedgerFile = DEFAULT,
    as_json: Annotated[bool, typer.Option("--json", help="Accounts and entries as JSON.")] = False,
) -> None:
    """Show what every account has lost, to which releases, and what is left.

    Example: leeward ledger show --ledger ledger.sqlite
    """
    with Ledger.open(ledger) as book:
        accounts, entries = book.accounts(), book.entries()
    if as_json:
        shown = {
            "accounts": [_account(one) for one in accounts],
            "entries": [_entry(one) for one in entries],
        }
        say(json.dumps(shown, indent=1, ensure_ascii=False))
        return
    for one in accounts:
        say(f"{one.name}: {price(one.cap)} in all; epsilon {number_text(one.left.epsilon)} left")
        own = [entry for entry in entries if entry.account == one.name]
        for text in (*meaning(one.cap, own), *map(line, own)):
            say(f"  {text}")


@ledger_app.command("verify")
@guarded
def verify_command(
    ledger: LedgerFile = DEFAULT,
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Bundle that this ledger must know; may be given several times."),
    ] = None,
) -> None:
    """Find edits, deletions and reordering; with bundles also a cut end or an old copy.

    Example: leeward ledger verify --ledger ledger.sqlite --against bundle
    """
    anchors = [_anchor(bundle) for bundle in against or []]
    with Ledger.open(ledger) as book:
        findings = book.verify(anchors)
    for finding in findings:
        say(f"- {finding}")
    if findings:
        say(f"{ledger} is NOT sound: {counted(len(findings), 'finding')}.")
        raise typer.Exit(REFUSED)
    checked = f", and knows {counted(len(anchors), 'bundle')}" if anchors else ""
    say(f"{ledger} is sound{checked}.")


@ledger_app.command("commit")
@guarded
def commit_command(
    bundle: Annotated[Path, typer.Argument(help="A whole bundle whose entry was not committed.")],
    ledger: LedgerFile = DEFAULT,
) -> None:
    """Note that a bundle is complete, after a crash between its last byte and its commit.

    Example: leeward ledger commit bundle --ledger ledger.sqlite
    """
    if verify_bundle(bundle):
        raise Damaged(
            "bundle",
            rule="must be whole",
            value=str(bundle),
            next_step=f"`leeward verify {bundle}` says what is wrong; it must not be published.",
        )
    held = read_bundle(bundle)
    with Ledger.open(ledger) as book:
        findings = book.verify([_anchor(bundle)])
        findings = findings or tuple(subject_findings(held.certificate, book.entries(), book))
        if findings:
            raise Damaged(
                "ledger",
                rule="must hold the entry that paid for the bundle",
                value=findings[0],
                next_step="Use the ledger of the release.",
            )
        entry = book.commit(held.certificate.ledger.entry, certificate_digest(bundle))
    say(f"Entry {entry.names} is committed.")


@ledger_app.command("withdraw")
@guarded
def withdraw_command(
    entry: Annotated[int, typer.Argument(help="The entry of the release.")],
    reason: Annotated[str, typer.Option(help="Why; anyone who reads the ledger may see it.")],
    ledger: LedgerFile = DEFAULT,
) -> None:
    """Note that a release should no longer be used. Its charge stays.

    Example: leeward ledger withdraw 3 --reason "wrong period"
    """
    with Ledger.open(ledger) as book:
        written = book.withdraw(entry, reason)
    say(f"Entry {entry} is withdrawn by entry {written.number}; its charge stays.")


def _anchor(bundle: Path) -> Anchor:
    held = read_bundle(bundle).certificate.ledger
    return Anchor(held.entry, held.head, held.id)


def _entry(entry: Entry) -> dict[str, object]:
    """An entry without its sketch: a thousand numbers that mean nothing to a reader."""
    subject = entry.body.get("subject")
    short = {} if not isinstance(subject, dict) else {
        "subject": {part: held for part, held in subject.items() if part != "frame"}
    }  # fmt: skip
    return {"number": entry.number, "hash": entry.hash, **entry.body, **short}


def _account(account: Account) -> dict[str, object]:
    spent = None if account.spent is None else str(account.spent.epsilon)
    return {
        "name": account.name,
        "policy": account.cap.policy.name,
        "alpha": None if account.cap.alpha is None else str(account.cap.alpha),
        "epsilon": str(account.cap.epsilon),
        "delta": str(account.cap.delta),
        "spent": spent,
        "left": str(account.left.epsilon),
    }
