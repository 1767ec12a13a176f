"""Excel's workbooks: the XML of one sheet damaged inside its archive, or the archive itself."""

from __future__ import annotations

import io
import random
import zipfile

from tools.fuzz.fuzzers.files import FileFuzzer
from tools.fuzz.mutate import TEXT, mutate_bytes

_XML = [
    *(b"<c r='A1' t='n'><v>1e999</v></c>", b"<row r='1048576'>", b"<c r='XFD1'>", b"</row>", b"</sheetData>", b"&#0;"),
    *(b"&lol;", b"t='s'><v>999999</v>", b"t='d'><v>2020-13-45</v>", b"s='99999'", b"<mergeCell ref='A1:XFD1048576'/>"),
    *(b"r='A99999999999'", b"<dimension ref='A1:XFD1048576'/>", b"<v>-1</v>", b"<v>1e308</v>", b"r=''", b"<![CDATA["),
]


class Excel(FileFuzzer):
    name = "excel"
    endings = (".xlsx",)

    def others(self) -> dict[str, bytes]:
        import datetime

        import openpyxl

        book = openpyxl.Workbook()
        sheet = book.active
        for row in (
            ["a", "b", "day", "flag", None],
            [1.5, "x", datetime.datetime(2020, 1, 2), True, "=1+1"],
            [None, "y"],
        ):
            sheet.append(row)
        out = io.BytesIO()
        book.save(out)
        return {"made.xlsx": out.getvalue()}

    def mutate(self, name: str, content: bytes, chance: random.Random) -> bytes:
        if chance.random() < 0.3:
            return mutate_bytes(content, chance)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {member: archive.read(member) for member in archive.namelist()}
        telling = [m for m in members if "sheet" in m or "shared" in m or "styles" in m or chance.random() < 0.2]
        member = chance.choice(telling or list(members))
        if chance.random() < 0.05:
            del members[member]
        else:
            members[member] = mutate_bytes(members[member], chance, [*_XML, *TEXT])
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, inner in members.items():
                archive.writestr(zipfile.ZipInfo(member), inner, zipfile.ZIP_DEFLATED)
        return out.getvalue()
