"""LODES: tidy tables in the form of the workplace, residence and flow files of LODES.

WAC is by place of work, RAC by place of residence, OD by both; `lodes.yaml` has their columns.
Codes of places are written as they are: real files have the 15 digits of a census block there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leeward.core.errors import InvalidParameter
from leeward.derived.products.job_counts import JobCounts
from leeward.derived.products.lodes_forms import HOME, LodesForm, is_home
from leeward.derived.products.public_product import product
from leeward.derived.products.small_areas import OPTION, SmallAreas
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.bundle.bundle_files import checksum_list, sha256
from leeward.publishing.bundle.disk import refused, write_file, writing


@dataclass(frozen=True, eq=False)
class Lodes:
    """A new folder for the files, and the people by whom jobs of zones are shared out, if any."""

    folder: Path
    population: SmallAreas | None = None

    def require(self, source: Path) -> None:
        """Reject a bundle without the tables of a form, a wrong population, or an old folder."""
        bundle = read_bundle(source)
        fitting, missing = forms(bundle)
        if not fitting:
            raise next(iter(missing.values()))
        if self.population is not None:
            homes = [form for form in fitting if HOME in form.areas]
            if not homes:
                raise InvalidParameter(
                    OPTION,
                    rule="needs tables of which RAC or OD can be made",
                    value="a bundle without them",
                    next_step="Leave the option out, or release tables by home.",
                )
            for form in homes:
                self.population.require(*form.zones(bundle))
        if self.folder.exists() or not self.folder.parent.is_dir():
            rule = "must be a new folder in one that exists"
            raise refused(self.folder, rule, "Choose a name that is free.")

    def write(self, bundle: Bundle) -> dict[str, Path]:
        """Write a file of each form, their version and their checksums; paths by form."""
        stated, fitting = bundle.certificate, forms(bundle)[0]
        period = "_".join(stated.period.split())
        paths = {
            form.name: self.folder / f"{stated.name}_{form.name}_{form.part}_JT00_{period}.csv.gz"
            for form in fitting
        }
        with writing(self.folder):
            self.folder.mkdir()
            for form in fitting:
                counts = JobCounts.fill(form, bundle)
                if self.population is not None and HOME in form.areas:
                    counts = counts.shared(self.population, form.zones(bundle)[0])
                write_file(paths[form.name], counts.packed(stated.created))
            version = "".join(self._version(bundle, fitting))
            write_file(self.folder / "version.txt", version.encode())
            names = [*(path.name for path in paths.values()), "version.txt"]
            sums = {name: sha256(self.folder / name) for name in names}
            write_file(self.folder / f"lodes_{stated.name}.sha256sum", checksum_list(sums))
        return paths

    def _version(self, bundle: Bundle, fitting: list[LodesForm]) -> Iterator[str]:
        """What was written, what a reader must know of each form, and what its homes are."""
        stated, names = bundle.certificate, ", ".join(form.name.upper() for form in fitting)
        origin = "" if stated.made_from is None else f" made from {stated.made_from.name}"
        yield (
            f"Form of LODES 8.4 {names}, not data of the Census Bureau: {stated.name}{origin}, "
            f"{stated.period}, Leeward {stated.leeward}, certificate "
            f"{sha256(bundle.path / 'certificate.json')}\n"
        )
        yield from (f"{form.name.upper()}: {form.note}\n" for form in fitting if form.note)
        for form in fitting:
            if HOME not in form.areas:
                continue
            zone, name = form.zones(bundle)[0], form.name.upper()
            if self.population is None:
                yield f"{name}: h_geocode holds the codes of {zone} as they were released.\n"
            else:
                yield (
                    f"{name}: h_geocode is decoration inside each {zone}: made from public "
                    f"population, not from data ({self.population.origin}). Sums by {zone} alone "
                    "are the released ones.\n"
                )


def forms(bundle: Bundle) -> tuple[list[LodesForm], dict[str, InvalidParameter]]:
    """The forms that a bundle has tables for, and by name what is missing of the others.

    Of a bundle without homes nobody expects RAC and OD.
    """
    fitting: list[LodesForm] = []
    missing: dict[str, InvalidParameter] = {}
    tables, known = bundle.certificate.tables, product("lodes").added_up
    homes = any(is_home(name) for table in tables for name in table.worker_identifiers)
    for form in known.values() if homes else (known["wac"],):
        try:
            form.tables(bundle)
            fitting.append(form)
        except InvalidParameter as refusal:
            missing[form.name] = refusal
    return fitting, missing
