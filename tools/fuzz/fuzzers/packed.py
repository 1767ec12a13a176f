"""Compressed text: damaged before it is packed, or after."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import zipfile
from collections.abc import Callable

from tools.fuzz.fuzzers.files import FileFuzzer
from tools.fuzz.mutate import flip_bits, mutate_bytes, put_edge

_TEXT = b"a;b\n" + b"".join(b"%d;word %d\n" % (i, i % 7) for i in range(60))


def zipped(content: bytes, *names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("t.csv",):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


_PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": zipped,
}
_UNPACK: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}


class Packed(FileFuzzer):
    name = "packed"
    endings = (".gz", ".bz2", ".xz", ".zip")

    def others(self) -> dict[str, bytes]:
        made = {f"text.csv{ending}": pack(_TEXT) for ending, pack in _PACK.items()}
        lines = b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n'
        return made | {"twice.csv.gz": made["text.csv.gz"] * 2, "lines.jsonl.gz": gzip.compress(lines, mtime=0),
                       "two.zip": zipped(_TEXT, "a.csv", "b.csv")}  # fmt: skip

    def mutate(self, name: str, content: bytes, chance: random.Random) -> bytes:
        ending = name[name.rindex(".") :]
        match chance.randrange(4):
            case 0 | 1:
                inner = _UNPACK[ending](content) if ending in _UNPACK else _TEXT
                return _PACK[ending](mutate_bytes(inner, chance))
            case 2:
                return mutate_bytes(content, chance)
            case _:
                return (flip_bits if chance.random() < 0.5 else put_edge)(content, chance)


__all__ = ["Packed", "zipped"]
