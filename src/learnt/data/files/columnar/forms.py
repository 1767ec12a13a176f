"""What the moments of files with types look like, which their cells tell and their types do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from learnt.data.files.part import Part, Reading
from learnt.data.form import RESOLUTIONS, Form


def moment_forms(
    names: Sequence[str], parts: Sequence[Part], readings: Sequence[Mapping[str, Reading]], batch_rows: int
) -> dict[str, Form | None]:
    """The form of each column over all its batches."""
    found: dict[str, Form | None] = {}
    for part, how in zip(parts, readings, strict=True) if names else ():
        for table in part.tables(names, how, batch_rows):
            for column in table.columns:
                if not column.missing.all():
                    found[column.name] = joined_form(found.get(column.name, column.form), column.form)
    return found


def joined_form(one: Form | None, two: Form | None) -> Form | None:
    """The form that shows the cells of both; None if they have nothing in common.

    >>> joined_form(Form("date"), Form("timestamp", resolution="minute")).resolution
    'minute'
    """
    if one is None or two is None or one == two:
        return one if one == two else None
    if not one.temporal or {one.sort, two.sort} not in ({one.sort}, {"date", "timestamp"}):
        return None
    order = list(RESOLUTIONS)
    finer, other = sorted((one, two), key=lambda form: -order.index(form.resolution))
    return replace(finer, zoned=finer.zoned or other.zoned)
