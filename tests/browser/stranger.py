"""Bundles of strangers: sound ones whose texts would be scripts, and ones that are no bundles."""

from collections.abc import Sequence
from pathlib import Path

from leeward.core.codebook import Marginal
from leeward.publishing.bundle import BundleWriter
from tests.publishing.bundle.made_up import cells, certificate, certified, columns, dimension

SCRIPTS = (
    "<script>document.title='run'</script>",
    '"><img src=x onerror="document.title=\'run\'">',
    "</title><svg onload=\"document.title='run'\">",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:document.title='run'",
)
LONG = "Support activities for " + "very " * 30 + "specialised mining"


def write_tables(target: Path, marginals: Sequence[Marginal], **changes: object) -> None:
    """A sound bundle of these tables, every cell in it."""
    with BundleWriter(target) as bundle:
        done = []
        for marginal in marginals:
            with bundle.table(marginal, margins=columns(marginal)) as writer:
                writer.write(cells(marginal, range(marginal.workplace_cells), margins=True))
            done.append(certified(writer))
        bundle.seal(certificate(target.name, done, **changes))


def write_hostile(target: Path) -> None:
    """Every text that a publisher chooses is a script."""
    place = dimension(SCRIPTS[0], SCRIPTS)
    sector = dimension(SCRIPTS[1], [f"{number} {SCRIPTS[2]}" for number in range(4)])
    facts = {"period": SCRIPTS[2], "account": SCRIPTS[0], "leeward": SCRIPTS[3]}
    write_tables(target, [Marginal("strange", (place, sector), ())], **facts)


def write_many(target: Path, tables: int = 40) -> None:
    """As many tables as a large office publishes at once, with long names and labels."""
    places = dimension("place_of_work_of_the_establishment", [f"{n:07}" for n in range(60)])
    sector = dimension("sector", [f"{n}: {LONG}" for n in range(12)])
    sex = dimension("sex", ["F", "M"], "workers")
    marginals = [
        Marginal(
            f"a_table_with_a_rather_long_name_{number:02}",
            (places, sector)[: 1 + number % 2],
            (sex,) if number % 3 == 0 else (),
        )
        for number in range(tables)
    ]
    write_tables(target, marginals)


def write_broken(folder: Path) -> dict[str, Path]:
    """What looks like a bundle and is none."""
    made = {name: folder / name for name in ("cut", "corrupt", "oversized", "linked", "empty")}
    write_tables(made["cut"], [Marginal("t", (dimension("place", ["1", "2"]),), ())])
    certificate_file = made["cut"] / "certificate.json"
    certificate_file.write_bytes(certificate_file.read_bytes()[:500])
    write_tables(made["corrupt"], [Marginal("t", (dimension("place", ["1", "2"]),), ())])
    (made["corrupt"] / "tables" / "t.parquet").write_bytes(b"PAR1 nonsense PAR1")
    made["oversized"].mkdir()
    with (made["oversized"] / "certificate.json").open("wb") as file:
        file.truncate(3 << 30)  # sparse: it takes no room
    write_tables(made["linked"], [Marginal("t", (dimension("place", ["1", "2"]),), ())])
    table = made["linked"] / "tables" / "t.parquet"
    table.unlink()
    table.symlink_to("/etc/hostname")
    made["empty"].mkdir()
    return made
