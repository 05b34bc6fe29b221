"""Published table: the rows of one table of a bundle as Arrow, pandas, Polars or a picture."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import pyarrow as pa

from leeward.core.errors import BadFile
from leeward.core.installation import hint_beside
from leeward.core.show.notebook import MOST_ROWS, html_table
from leeward.core.show.numbers import counted, crossed
from leeward.publishing.bundle.certified_table import CertifiedTable

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped] # ships no types
    import polars

    from leeward.core.show.notebook import Figure
    from leeward.publishing.bundle.reader import Bundle


@dataclass(frozen=True, repr=False)
class PublishedTable:
    """A table of a bundle: what the certificate says of it, and its rows in several forms.

    Attributes
    ----------
    bundle
        The bundle that it is part of.
    about
        What the certificate says: attributes, codes, mechanism, guarantee, law of the noise.

    Examples
    --------
    >>> table = bundle["by_place"]
    >>> table.columns
    ('place', 'value', 'status', 'margin')
    >>> len(table)
    3
    """

    bundle: "Bundle"
    about: CertifiedTable

    @property
    def name(self) -> str:
        """Its name, which is that of its file."""
        return self.about.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: identifiers, `value`, `status`, and others that there may be."""
        return self.about.columns

    def to_arrow(self, *, labels: bool = False, totals: bool = True) -> pa.Table:
        """All rows as a table of Arrow; codes are dictionaries of text.

        Parameters
        ----------
        labels
            Whether a column NAME_label follows each column of codes.
        totals
            Whether rows of totals are there, the last ones.

        Returns
        -------
        pyarrow.Table
            The rows in their published order.

        Raises
        ------
        Damaged
            If the file is not the one that was published.

        Examples
        --------
        >>> bundle["by_place"].to_arrow(labels=True).column_names[:2]
        ['place', 'place_label']
        """
        rows = self.bundle.table(self.name, totals=totals)
        for name in self.about.identifiers if labels else ():
            listed = self.about.listed(name)
            texts = [listed[code] for code in rows.column(name).to_pylist()]
            place = rows.schema.get_field_index(name) + 1
            rows = rows.add_column(place, f"{name}_label", pa.array(texts, pa.string()))
        return rows

    def to_pandas(self, *, labels: bool = False, totals: bool = True) -> "pandas.DataFrame":
        """All rows as a data frame of pandas, which must be installed; codes are texts.

        Parameters
        ----------
        labels
            Whether a column NAME_label follows each column of codes.
        totals
            Whether rows of totals are there, the last ones.

        Returns
        -------
        pandas.DataFrame
            The rows in their published order.

        Raises
        ------
        Damaged
            If the file is not the one that was published.

        Examples
        --------
        >>> bundle["by_place"].to_pandas().place.tolist()
        ['01', '02', '03']
        """
        return with_texts(self.to_arrow(labels=labels, totals=totals)).to_pandas()

    def to_polars(self, *, labels: bool = False, totals: bool = True) -> "polars.DataFrame":
        """All rows as a data frame of Polars, which must be installed; codes are texts.

        Parameters
        ----------
        labels
            Whether a column NAME_label follows each column of codes.
        totals
            Whether rows of totals are there, the last ones.

        Returns
        -------
        polars.DataFrame
            The rows in their published order.

        Raises
        ------
        Damaged
            If the file is not the one that was published.

        Examples
        --------
        >>> bundle["by_place"].to_polars().height
        3
        """
        try:
            import polars  # noqa: PLC0415 (an optional library)
        except ImportError:
            raise BadFile(
                "polars",
                rule="must be installed for its data frames",
                value="no polars",
                next_step=hint_beside("polars"),
            ) from None

        frame = polars.from_arrow(with_texts(self.to_arrow(labels=labels, totals=totals)))
        return cast("polars.DataFrame", frame)

    def picture(self, kind: Literal["bars", "squares"] = "bars", *, most: int = 25) -> "Figure":
        """A picture: cells as bars with their margins, or all cells as squares.

        Of a table with more cells than bars, those with the most establishments are drawn, where
        it counts them, and the first cells elsewhere.

        Parameters
        ----------
        kind
            ``"bars"``, or ``"squares"`` for tables of at most 40 by 25 codes.
        most
            Maximum number of bars.

        Returns
        -------
        Figure
            A notebook shows it; `save("jobs.html")` writes a page without a script.

        Raises
        ------
        InvalidParameter
            If the kind is another one, or the table has too many cells for squares.

        Examples
        --------
        >>> bundle["by_place"].picture()
        Figure('All 3 cells of by_place. Lines show the margins. ...')
        """
        from leeward.publishing.bundle import figure  # noqa: PLC0415 (loads the charts)

        return figure.picture(self.bundle, self.about, kind, most)

    def __len__(self) -> int:
        """The number of rows."""
        return self.about.rows

    def __repr__(self) -> str:
        by = f"by {crossed(names)}" if (names := self.about.identifiers) else "one total"
        return f"PublishedTable({self.name!r}, {by}, {counted(len(self), 'row')})"

    def _repr_html_(self) -> str:
        first = next(self.bundle.batches(self.name), None)
        rows = [] if first is None else first.slice(0, MOST_ROWS).to_pylist()
        note = f"{len(self):,} rows in all." if len(self) > len(rows) else ""
        return html_table(self.name, self.columns, [list(row.values()) for row in rows], note=note)


def with_texts(rows: pa.Table) -> pa.Table:
    """Codes as plain texts in place of dictionaries, whose parts differ between row groups."""
    kinds = [
        pa.field(field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
        for field in rows.schema
    ]
    return rows.cast(pa.schema(kinds))
