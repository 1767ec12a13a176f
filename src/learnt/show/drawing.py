"""A picture on a sheet, as notebooks show it and files hold it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learnt.errors import FileError
from learnt.show.sheet import Sheet
from learnt.whole_file import write_whole


@dataclass(frozen=True)
class Drawing:
    """A picture that notebooks show; `svg` is its text, `save` writes it as .svg or .png."""

    sheet: Sheet
    label: str

    @property
    def svg(self) -> str:
        return self.sheet.svg(self.label)

    def save(self, path: Any) -> None:
        """Write the picture; the ending of the name decides how."""
        ending = Path(path).suffix.lower()
        if ending not in (".svg", ".png"):
            raise FileError(
                f"A drawing cannot be written as {ending or 'a file without ending'!r}. "
                "It can be a picture in .svg or .png. Choose such a name.",
                str(path),
            )
        write_whole(path, self.sheet.png() if ending == ".png" else self.svg, "The drawing")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing of {self.label}>"
