"""Request: the plan file as a user writes it, before anything is looked up."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue

from leeward.model.document import Written, one_of

CODES = "must be one code or a list of codes"


class WrittenData(Written):
    """Where the three tables are, and with what they are read."""

    workplaces: str
    workers: str
    jobs: str
    engine: str | None = None
    remote: str | None = None
    memory: str | None = None
    spill: str | None = None


class WrittenProtection(Written):
    """What all tables of the plan together promise."""

    policy: str
    alpha: str | None = None
    epsilon: str
    delta: str = "0"


class WrittenJobs(Written):
    """What is done about workers with several jobs."""

    primary: str | None = None
    max_per_worker: str | None = None


class WrittenTable(Written):
    """One table to publish."""

    name: str
    by: list[str]
    where: dict[str, Annotated[list[str] | str, one_of(CODES)]] = Field(default_factory=dict)
    share: str | None = None
    margins: str | None = None
    mechanism: str = "auto"
    complete: bool = False


class Request(Written):
    """The whole plan file."""

    data: WrittenData
    codebook: str
    account: str
    period: str
    protect: WrittenProtection
    jobs: WrittenJobs | None = None
    sizes: str | None = None
    tables: list[WrittenTable] = Field(min_length=1)

    def public(self) -> dict[str, JsonValue]:
        """The plan as a certificate shows it: everything but where files are."""
        told = self.model_dump(exclude={"data"}, exclude_none=True, exclude_defaults=True)
        files = {key: Path(told[key]).name for key in ("codebook", "sizes") if key in told}
        return told | files
