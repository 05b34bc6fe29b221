"""Statement: accounts and entries of a ledger as a person and a program read them."""

from collections.abc import Iterator
from dataclasses import dataclass

from leeward.core.exact import number_text
from leeward.core.show.notebook import html_table
from leeward.publishing.ledger.account import Account
from leeward.publishing.ledger.book import meaning
from leeward.publishing.ledger.entry import Entry, line, price
from leeward.publishing.ledger.subject import SKETCHES


@dataclass(frozen=True)
class Statement:
    """Every account of a ledger, and every entry."""

    ledger: str
    accounts: tuple[Account, ...]
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Accounts, what their caps mean, and what happened to them."""
        for account in self.accounts:
            cap, box = account.cap, account.box
            yield f"{account.name}: {price(cap)} in all; {_left(account)} left"
            own = [entry for entry in self.entries if entry.account == account.name]
            divided = () if box is None else (box.words,)
            yield from (f"  {text}" for text in (*divided, *meaning(cap, own), *map(line, own)))

    def to_dict(self) -> dict[str, object]:
        """What `leeward ledger show --json` prints."""
        return {
            "accounts": [*map(_account, self.accounts)],
            "entries": [*map(_entry, self.entries)],
        }

    def _repr_html_(self) -> str:
        rows = [
            (account.name, price(account.cap), _left(account), account.charges)
            for account in self.accounts
        ]
        heads = ("account", "in all", "left", "charges")
        return html_table(f"Ledger {self.ledger}", heads, rows)


def _left(account: Account) -> str:
    rho = "" if account.box is None else f" and rho {number_text(account.left.rho)}"
    return f"{account.cap.currency} {number_text(account.remaining)}{rho}"


def _entry(entry: Entry) -> dict[str, object]:
    """An entry without its sketch: a thousand numbers that mean nothing to a reader."""
    subject = entry.body.get("subject")
    short = {} if not isinstance(subject, dict) else {
        "subject": {part: text for part, text in subject.items() if part not in SKETCHES}
    }  # fmt: skip
    return {"number": entry.number, "hash": entry.hash, **entry.body, **short}


def _account(account: Account) -> dict[str, object]:
    spent = None if account.spent is None else str(account.lost)
    divided = {} if account.box is None else {"box": account.box.written()}
    return {
        "name": account.name,
        "policy": account.cap.policy.name,
        "alpha": None if account.cap.alpha is None else str(account.cap.alpha),
        "plus": account.cap.plus,
        "unit": account.cap.unit,
        "epsilon": str(account.cap.epsilon),
        "delta": str(account.cap.delta),
        "rho": str(account.cap.rho),
        "spent": spent,
        "left": str(account.remaining),
        **divided,
    }
