"""Lines of text cut into cells by Python's csv module: samples, ends and mistakes; the parser reads the rest."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from learnt.data.files.text.fixed_width import Gap, as_delimited

#: Characters of a cell at the start of a file, at most. The csv module has such a limit too, but any library of the
#: process may change that one for all.
LONGEST_CELL = 131_072


@dataclass(frozen=True)
class Cutting:
    """What parts the cells of a line: a sign, runs of blanks, or gaps at the same places of all lines."""

    delimiter: str
    quote: str
    runs: bool = False
    gaps: tuple[Gap, ...] = ()

    def reader(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The csv module's reader of these lines, which tells the number of its line."""
        return csv.reader(
            self._delimited(lines),
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            skipinitialspace=self.runs,
        )

    def _delimited(self, lines: Iterable[str]) -> Iterable[str]:
        if self.runs:
            return (line.replace("\t", " ").strip(" \r\n") + "\n" for line in lines)
        return (as_delimited(line, self.gaps, self.delimiter) for line in lines) if self.gaps else lines

    def rows(self, text: str, complete: bool = True) -> list[tuple[int, list[str]]]:
        """The rows of a text that are whole, each with the number of its last line; blank lines are none."""
        reader = self.reader(io.StringIO(text, newline=""))
        rows = []
        unguarded = csv.field_size_limit() > LONGEST_CELL
        try:
            for row in reader:
                if unguarded and max(map(len, row), default=0) > LONGEST_CELL:
                    raise csv.Error
                rows.append((reader.line_num, row))  # type: ignore[attr-defined]
            if not complete:
                rows = rows[:-1]  # cut off by the end of the sample
        except csv.Error:  # a cell beyond the limit: the rows before it must do
            pass
        return [(line, [cell.strip() for cell in row]) for line, row in rows if row and row != [""]]

    def cells(self, line: str) -> list[str]:
        """The cells of one line."""
        return [cell.strip() for cell in next(iter(self.reader([line])), [])]
