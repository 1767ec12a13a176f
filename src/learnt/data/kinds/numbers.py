"""Numbers as people write them: with a unit, with thousands set apart, with either decimal sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.form import CURRENCIES, Form
from learnt.data.table import Array

MEASURES = (
    *(
        "%",
        "‰",
        "kg",
        "mg",
        "g",
        "t",
        "lbs",
        "lb",
        "oz",
        "km/h",
        "mph",
        "m/s",
        "km²",
        "m²",
        "km",
        "cm",
        "mm",
        "m",
        "ft",
    ),
    *(
        "ml",
        "l",
        "°C",
        "°F",
        "kWh",
        "kW",
        "MW",
        "W",
        "kB",
        "KB",
        "MB",
        "GB",
        "TB",
        "min",
        "ms",
        "s",
        "h",
        "bpm",
        "mmHg",
    ),
)

_SPACES = "[\u00a0\u2007\u2009\u202f]"  # no-break and thin ones
_APOSTROPHES = "[\u2019\u02bc`´]"
_MINUSES = "[\u2212\u2013]"
_PLAIN = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def _either(units: Sequence[str]) -> str:
    """A pattern for any of these, the longest first."""
    escaped = (u.replace("$", r"\$").replace(".", r"\.") for u in sorted(units, key=len, reverse=True))
    return "|".join(escaped)


#: What stands around the digits: a sign, a unit before or after, brackets for a negative amount in accounts.
_AROUND = (
    rf"^(?P<open>\(?) ?(?P<sign>[-+]?) ?(?P<first>(?:{_either(CURRENCIES)})?) ?(?P<sign2>[-+]?)"
    rf"(?P<body>[\d.,][\d., ']*(?:[eE][-+]?\d+)?)"
    rf" ?(?P<last>(?:{_either(CURRENCIES + MEASURES)})?) ?(?P<close>\)?)$"
)


@dataclass(frozen=True)
class Writing:
    """One way to write numbers: the decimal sign, what sets thousands apart ("" for nothing), a unit."""

    decimal: str = "."
    group: str = ""
    unit: str = ""
    unit_first: bool = False

    def numbers(self, texts: Sequence[str]) -> Array:
        """The numbers of texts, NaN where one is not written this way."""
        return with_infinities(texts, Bodies.of(texts).numbers(self))

    def form(self, decimals: int | None) -> Form | None:
        return Form("number", self.unit, self.unit_first, decimals) if self.unit else None


@dataclass(frozen=True)
class Bodies:
    """Texts taken apart: the digits with their separators, the sign and the unit; null where there are none."""

    body: Any  # Arrow text, null where the text is not a number with something around
    negative: Array
    unit: Any  # Arrow text
    unit_first: Array

    @classmethod
    def of(cls, texts: Sequence[str]) -> Bodies:
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = pa.array(texts, pa.large_string())
        for pattern, plain in ((_SPACES, " "), (_APOSTROPHES, "'"), (_MINUSES, "-")):
            cells = pc.replace_substring_regex(cells, pattern, plain)
        parts = pc.extract_regex(cells, _AROUND)
        field = {
            name: pc.struct_field(parts, name) for name in ("open", "sign", "first", "sign2", "body", "last", "close")
        }
        negative = [_is(field[name], "-") for name in ("sign", "sign2")]
        brackets, closed = _is(field["open"], "("), _is(field["close"], ")")
        units = [~_is(field[name], "") for name in ("first", "last")]
        doubled = (brackets != closed) | (negative[0] & negative[1]) | (units[0] & units[1]) | (brackets & negative[0])
        body = pc.utf8_rtrim(field["body"], " ")
        body = pc.if_else(pa.array(doubled), pa.scalar(None, body.type), body)
        unit = pc.if_else(pa.array(units[0]), field["first"], field["last"])
        return cls(body, brackets | negative[0] | negative[1], unit, units[0])

    def units(self) -> list[tuple[str, bool]]:
        """The different units there are, and whether before the number."""
        import pyarrow.compute as pc

        found = pc.value_counts(self.unit).to_pylist()
        pairs = [(entry["values"], entry["counts"]) for entry in found if entry["values"]]
        ranked = sorted(pairs, key=lambda pair: -pair[1])
        return [(unit, bool(self.unit_first[_is(self.unit, unit)].mean() >= 0.5)) for unit, _ in ranked]

    def there(self) -> Array:
        """Which texts have digits to read."""
        found: Array = self.body.is_valid().to_numpy(zero_copy_only=False)
        return found

    def has_unit(self, unit: str) -> Array:
        return _is(self.unit, unit)

    def matches(self, writing: Writing) -> Array:
        """Which bodies are written so. Units are looked at apart."""
        import pyarrow.compute as pc

        found: Array = pc.match_substring_regex(self.body, _pattern(writing)).fill_null(False).to_numpy(False)
        return found

    def numbers(self, writing: Writing) -> Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        fits = self.matches(writing)
        if writing.unit:
            fits &= _is(self.unit, writing.unit) | _is(self.unit, "")
        else:
            fits &= _is(self.unit, "")
        body = pc.if_else(pa.array(fits), self.body, pa.scalar(None, self.body.type))
        if writing.group:
            body = pc.replace_substring(body, writing.group, "")
        if writing.decimal != ".":
            body = pc.replace_substring(body, writing.decimal, ".")
        values: Array = pc.cast(body, pa.float64()).to_numpy(zero_copy_only=False)
        return np.where(self.negative, -values, values)

    def decimals(self, writing: Writing, used: Array) -> int:
        """The most digits behind the decimal sign."""
        import pyarrow as pa
        import pyarrow.compute as pc

        body = self.body.filter(pa.array(used))
        tails = pc.extract_regex(body, rf"[{writing.decimal}](?P<tail>\d+)$")
        most = pc.max(pc.utf8_length(pc.struct_field(tails, "tail"))).as_py()
        return int(most or 0)


_INFINITIES = {s + w: float(s + w) for s in ("", "+", "-") for w in ("inf", "infinity")}


def with_infinities(texts: Sequence[str], values: Array) -> Array:
    """Programs write infinite numbers in letters."""
    for i in np.flatnonzero(np.isnan(values)).tolist():
        if len(texts[i]) < 10 and texts[i].lower() in _INFINITIES:
            values[i] = _INFINITIES[texts[i].lower()]
    return values


def _pattern(writing: Writing) -> str:
    decimal = "\\" + writing.decimal
    if not writing.group:
        return "^" + _PLAIN.replace(r"\.", decimal) + "$"
    group = "\\" + writing.group if writing.group == "." else writing.group
    return rf"^(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+)(?:{decimal}\d+)?$"


def _is(texts: Any, value: str) -> Array:
    import pyarrow.compute as pc

    found: Array = pc.equal(texts, value).fill_null(False).to_numpy(zero_copy_only=False)
    return found


def candidate_writings(decimal: str) -> list[Writing]:
    """How the bodies may be written, what fits the file's decimal sign first."""
    other = "," if decimal == "." else "."
    return [
        Writing(decimal),
        Writing(decimal, other),
        Writing(decimal, " "),
        Writing(decimal, "'"),
        Writing(other),
        Writing(other, decimal),
        Writing(other, " "),
        Writing(other, "'"),
    ]
