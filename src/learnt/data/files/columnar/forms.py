"""What the moments of files with types look like, which their cells tell and their types do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from learnt.data.files.part import Part, Reading
from learnt.data.form import RESOLUTIONS, Form
from learnt.data.workers import Workers, each


def moment_forms(
    names: Sequence[str],
    parts: Sequence[Part],
    readings: Sequence[Mapping[str, Reading]],
    batch_rows: int,
    workers: Workers | None = None,
) -> dict[str, Form | None]:
    """The form of each column over all its batches."""
    found: dict[str, Form | None] = {}
    asked = list(zip(parts, readings, strict=True)) if names else []
    for forms in each(workers, partial(_forms_of_part, list(names), batch_rows), asked):
        _join_all(found, forms)
    return found


def _forms_of_part(
    names: Sequence[str], batch_rows: int, asked: tuple[Part, Mapping[str, Reading]]
) -> dict[str, Form | None]:
    part, how = asked
    found: dict[str, Form | None] = {}
    for table in part.tables(names, how, batch_rows):
        _join_all(found, {c.name: c.form for c in table.columns if not c.missing.all()})
    return found


def _join_all(found: dict[str, Form | None], forms: Mapping[str, Form | None]) -> None:
    for name, form in forms.items():
        found[name] = joined_form(found.get(name, form), form)


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
