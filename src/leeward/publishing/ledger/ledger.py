"""The ledger as the other rooms use it: accounts are opened, charged, and never forget."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

from leeward.core.errors import BadFile, LeewardError
from leeward.core.exact import Number
from leeward.core.privacy import Guarantee
from leeward.core.privacy.policy import policy as named_policy
from leeward.core.privacy.policy import with_unit
from leeward.core.privacy.words import READING
from leeward.publishing.ledger.account import Account
from leeward.publishing.ledger.book import Book, Statement
from leeward.publishing.ledger.box import Box
from leeward.publishing.ledger.contents import Contents, salt, seal
from leeward.publishing.ledger.entry import PARTS, Anchor, Entry
from leeward.publishing.ledger.notation import account_name, digest, plain, words, written
from leeward.publishing.ledger.repeat import Earlier, earlier_releases
from leeward.publishing.ledger.store import Store, Transaction
from leeward.publishing.ledger.subject import NO_REASONS, Reasons, Subject


class Ledger:
    """One ledger file: accounts of privacy loss, which are charged and never forget.

    The file is made if it does not exist. What `reserve` returned is on disk and counts for ever.

    Parameters
    ----------
    path
        The ledger file. It belongs to its owner alone (file mode 600), on a local disk.

    Raises
    ------
    BadFile
        If the path is something other than a ledger, or others may read it.

    Examples
    --------
    >>> ledger = leeward.Ledger(folder / "ledger.sqlite")
    >>> account = ledger.create("lodes", policy="strong", alpha="0.1", epsilon=16)
    >>> print(account.left.epsilon)
    16
    """

    def __init__(self, path: Path | str) -> None:
        self._place(Path(path))
        if os.path.lexists(self.path):
            self._store.check()
        else:
            self._store.create()

    def _place(self, path: Path) -> "Ledger":
        self.path = path
        self._store = Store(path)
        self._closed = False
        return self

    @classmethod
    def unchecked(cls, path: Path | str) -> "Ledger":
        """A ledger at a path that is looked at when it is used."""
        return cls.__new__(cls)._place(Path(path))

    @classmethod
    def new(cls, path: Path | str) -> "Ledger":
        """Make a new ledger, without accounts, in a file that must not exist."""
        ledger = cls.unchecked(path)
        ledger._store.create()
        return ledger

    @classmethod
    def open(cls, path: Path | str) -> "Ledger":
        """Use a ledger that exists."""
        ledger = cls.unchecked(path)
        ledger._store.check()
        return ledger

    def create(  # noqa: PLR0913 (a cap as a plan writes it)
        self,
        account: str,
        *,
        policy: str,
        epsilon: Number | None = None,
        rho: Number | None = None,
        alpha: Number | None = None,
        plus: int | None = None,
        unit: str | None = None,
        delta: Number = 0,
        gaussian_rho: Number | None = None,
        gaussian_delta: Number | None = None,
        epsilon_job: Number | None = None,
        parts: str | None = None,
    ) -> Account:
        """Open an account with a cap that is set once.

        Parameters
        ----------
        account
            Its name. One account stands for one population of establishments: all its periods
            add up.
        policy
            ``"strong"``, ``"weak"``, ``"proportional"``, ``"worker"``, ``"person"`` or
            ``"establishment"``.
        epsilon, delta
            All that the account may ever lose: texts, whole numbers or fractions, which are exact.
        rho
            The same in ρ of zCDP, in place of epsilon; `delta` is then where it is read as an
            epsilon, and is not spent. Left out, it is a millionth.
        alpha
            The protected growth of an establishment, such as ``"0.1"``.
        plus
            The number of jobs within which a small establishment is hidden; 1 if left out.
        unit
            ``"employer"`` counts the establishments of an employer in a workplace cell as one.
        gaussian_rho
            The part of a cap in epsilon and delta that is for Gaussian noise, in ρ; the rest is for
            other charges. Left out, the first charge decides which kind the account takes.
        gaussian_delta
            The part of delta at which that ρ is read as an epsilon; all of it if left out.
        epsilon_job
            The part of epsilon that one job more at one establishment may ever cost, under a policy
            with an α; as much as epsilon if left out.
        parts
            A public attribute of workplaces, such as ``"state"``: the account has a sum for each
            of its codes, and has spent the largest. Plans name their part.

        Returns
        -------
        Account
            The account, of which nothing is spent.

        Raises
        ------
        InvalidParameter
            If the account exists, or a number is no cap.

        Examples
        --------
        >>> ledger.create("retail", policy="worker", epsilon="1/2").cap.epsilon
        Fraction(1, 2)
        """
        protected = with_unit(named_policy(policy), unit)
        pure, zcdp = 0 if epsilon is None else epsilon, 0 if rho is None else rho
        spent, reading = (delta, READING) if rho is None else (0, delta or READING)
        cap = Guarantee(protected, alpha, pure, spent, zcdp, plus=plus, reading=reading,
                        epsilon_job=epsilon_job)  # fmt: skip
        box = Box.declared(cap, gaussian_rho, gaussian_delta)
        self.open_account(account, cap, box, parts=parts)
        return self.account(account)

    def show(self) -> Statement:
        """What every account has lost, to which releases, and what is left.

        Returns
        -------
        Statement
            It prints as `leeward ledger show` does, and shows itself in a notebook.

        Raises
        ------
        Damaged
            If the ledger is not what was written.

        Examples
        --------
        >>> office = ledger.show().accounts[0]
        >>> office.name, office.charges
        ('office', 1)
        """
        book = self._read()
        return Statement(self.path.name, book.accounts(), book.entries)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def open_account(
        self, name: str, cap: Guarantee, box: Box | None = None, *, parts: str | None = None
    ) -> Entry:
        """Open an account and set its cap, the box that divides it, and its parts, once."""
        body = {
            "kind": "opened",
            "account": account_name(name),
            "cap": written(cap),
            "box": None if box is None else box.written(),
            **({} if parts is None else {PARTS: words(parts, PARTS)}),
        }
        with self._writing() as writing:
            return writing.append(body, "Use the account as it is, or choose another name or cap.")

    def account(self, name: str) -> Account:
        """The state of one account.

        Parameters
        ----------
        name
            The name of the account.

        Returns
        -------
        Account
            `cap`, `spent` and `left` are guarantees.

        Raises
        ------
        InvalidParameter
            If there is no such account.

        Examples
        --------
        >>> ledger.account("office").left.epsilon
        Fraction(12, 1)
        """
        return self._read().account(account_name(name))

    def account_at(self, entry: Entry) -> Account:
        """The state of an entry's account when that entry was the latest."""
        return Book(self._read().entries[: entry.number]).account(entry.account)

    def accounts(self) -> tuple[Account, ...]:
        """The state of every account, by name."""
        return self._read().accounts()

    def reserve(
        self,
        account: str,
        charge: Guarantee,
        subject: Subject,
        *,
        again: bool = False,
        corrects: int | None = None,
        reasons: Reasons = NO_REASONS,
    ) -> Entry:
        """Charge a release before its first draw of noise; on disk when this returns."""
        with self._writing() as writing:
            shared = reasons.same_establishments is not None
            paid = writing.payment(account, charge, subject, again=again, shared=shared)
            if corrects is not None:
                writing.book.charge(corrects, "corrects")
            body = {
                "kind": "reserved",
                "account": account,
                "charge": written(charge),
                "paid": written(paid),
                "subject": subject.written(),
                "corrects": corrects,
                "salt": salt(),
                **asdict(reasons),
            }
            return writing.append(body, "Name the charge of the release that this one corrects.")

    def would_refuse(
        self, account: str, charge: Guarantee, subject: Subject | None, *, again: bool = False
    ) -> LeewardError | None:
        """What `reserve` would say now; without a subject, of the budget alone."""
        try:
            with self._reading() as reading:
                reading.payment(account, charge, subject, again=again)
        except LeewardError as refusal:
            return refusal
        return None

    def earlier(self, account: str, plan: str, period: str) -> Earlier:
        """The releases of a plan, by its digest, and of its period that an account has paid for."""
        return earlier_releases(self._read(), account, plan, period)

    def commit(self, reserved: int, bundle_digest: str) -> Entry:
        """Say that the bundle of a charge is complete; the same again changes nothing."""
        digest(bundle_digest, "bundle_digest")
        with self._writing() as writing:
            ended = writing.book.ended.get(writing.book.charge(reserved, "entry").number)
            if ended is not None and ended.digest == bundle_digest:
                return ended
            return writing.append_about(reserved, {"kind": "committed", "digest": bundle_digest})

    def fail(self, reserved: int, reason: str) -> Entry:
        """Say that a release broke off; its charge stays. The reason must be public."""
        return self._end(reserved, "failed", reason)

    def withdraw(self, reserved: int, reason: str) -> Entry:
        """Say that a release should no longer be used; its charge stays."""
        return self._end(reserved, "withdrawn", reason)

    def _end(self, reserved: int, kind: str, reason: str) -> Entry:
        body = {"kind": kind, "reason": plain(reason, "reason")}
        with self._writing() as writing:
            return writing.append_about(reserved, body)

    def entries(self) -> tuple[Entry, ...]:
        """Everything that was ever written, in order."""
        return self._read().entries

    def head(self) -> Anchor:
        """The latest entry; of an empty ledger, its birth."""
        with self._reading() as reading:
            return reading.head

    def verify(self, against: Iterable[Anchor] = ()) -> tuple[str, ...]:
        """What is wrong, in plain words: nothing if the ledger is sound.

        Parameters
        ----------
        against
            Anchors from the certificates of bundles: they show a cut end or an old copy put back,
            which the file alone cannot.

        Returns
        -------
        tuple[str, ...]
            What speaks against the ledger.

        Examples
        --------
        >>> ledger.verify()
        ()
        """
        self._refuse_closed()
        return tuple(self._store.faults(tuple(against)))

    def sealed(self, content: bytes) -> str:
        """A fingerprint that only this ledger can make: it says nothing to outsiders."""
        self._refuse_closed()
        with self._store.reading() as connection:
            return seal(Contents.read(connection).key, content)

    def close(self) -> None:
        """Use this object no more; nothing is left open in between anyway."""
        self._closed = True

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        self._refuse_closed()
        with self._store.writing() as connection:
            yield Transaction.begin(connection)

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        self._refuse_closed()
        with self._store.reading() as connection:
            yield Transaction.begin(connection)

    def _read(self) -> Book:
        with self._reading() as reading:
            return reading.book

    def _refuse_closed(self) -> None:
        if self._closed:
            raise BadFile(
                "ledger",
                rule="must be open",
                value=f"closed ({str(self.path)!r})",
                next_step="Open it again.",
            )
