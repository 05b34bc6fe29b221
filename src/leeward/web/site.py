"""Site: what one run of the page shows, and under which address."""

from dataclasses import dataclass
from pathlib import Path

ADDRESS = "127.0.0.1"
"""The page is for this machine alone: there is no option for another address."""


@dataclass(frozen=True)
class Site:
    """The token in the address, the port, and the files that the tabs speak of."""

    token: str
    port: int
    plan: Path | None
    releases: Path
    ledger: Path | None

    @property
    def base(self) -> str:
        """The path that all addresses of the page begin with."""
        return f"/{self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which a browser of this machine reaches the page."""
        return f"{ADDRESS}:{self.port}", f"localhost:{self.port}"

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{ADDRESS}:{self.port}{self.base}/"
