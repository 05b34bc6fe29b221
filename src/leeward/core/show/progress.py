"""Progress: the progress callback of work without a progress bar."""


class Silent:
    """A progress callback that shows nothing."""

    def step(self, words: str) -> None:
        """A new step begins."""

    def cells(self, table: str, done: int, of: int) -> None:
        """`done` of `of` workplace cells of a table are finished."""

    def part(self, words: str, done: int, of: int) -> None:
        """`done` of `of` parts are finished."""
