"""Where bytes come from: a path or an open file, compressed or not, and which format they hold."""

from __future__ import annotations

import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from learnt.data.files.text.json_array import begins_array
from learnt.errors import FileError, KindError, LearntError
from learnt.show.words import spell

FORMATS = ("csv", "parquet", "arrow", "jsonl", "arff", "libsvm", "excel", "sqlite", "duckdb")
WITH_TABLES = ("excel", "sqlite", "duckdb")  # formats that hold several tables, named as in `file::table`

_EXTENSIONS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "jsonl", ".arff": "arff", ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm",
    ".xlsx": "excel", ".xlsm": "excel", ".xlsb": "excel", ".xls": "excel", ".ods": "excel",
    ".sqlite": "sqlite", ".sqlite3": "sqlite", ".duckdb": "duckdb", ".ddb": "duckdb",
}  # fmt: skip
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip")
_COMPRESSIONS = (
    (rb"\x1f\x8b", "gzip"), (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "bz2"), (rb"\xfd7zXZ\x00", "xz"),
    (rb"\x28\xb5\x2f\xfd", "zstd"), (rb"\x04\x22\x4d\x18", "lz4"), (rb"PK\x03\x04", "zip"),
)  # fmt: skip
ARROW_STREAM = rb"(?s:\xff{4}...[\x00-\x7f])"  # a mark, and how long the schema is
_BINARY = (
    (rb"PAR1", "parquet"), (rb"ARROW1", "arrow"), (ARROW_STREAM, "arrow"),
    (rb"SQLite format 3\x00", "sqlite"), (rb"(?s:.{8})DUCK", "duckdb"),
    (rb"PK\x03\x04", "excel"), (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "excel"),
)  # fmt: skip
_BINARY_FORMATS = {name for _, name in _BINARY}
_WORKBOOK_PARTS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
_LIBSVM_LINE = re.compile(rb"[^\s:,#]+(\s+qid:\d+)?(\s+\d+:[^\s:]+)+\s*(#.*)?")


@dataclass(frozen=True)
class Source:
    """Bytes that can be read again: a file on disk, or what an open file held."""

    name: str
    path: Path | None
    held: bytes | None
    compression: str | None
    inner: str | None = None  # the table meant in a file of several: `file::table`

    def __getstate__(self) -> dict[str, Any]:
        """Whoever it is sent to may stand in another folder."""
        return vars(self) | {"path": None if self.path is None else self.path.absolute()}

    def open(self) -> BinaryIO:
        """The bytes from the start, decompressed."""
        plain: Any = self.path.open("rb") if self.path is not None else io.BytesIO(self.held or b"")
        if self.compression is None:
            return cast(BinaryIO, plain)
        try:
            return cast(BinaryIO, _ClosingReader(self._unpacked(plain), plain))
        except BaseException:
            plain.close()
            raise

    def _unpacked(self, packed: BinaryIO) -> Any:
        if self.compression == "xz":
            return lzma.open(packed)
        if self.compression == "zip":
            return _only_member(packed, self.name)
        import pyarrow as pa

        return pa.CompressedInputStream(packed, self.compression)

    def random_access(self) -> Any:
        """An Arrow file that can seek, for formats with an index at their end."""
        import pyarrow as pa

        if self.path is not None and self.compression is None:
            return pa.OSFile(str(self.path))
        with self.open() as stream:
            return pa.BufferReader(stream.read())

    def head(self, size: int) -> bytes:
        """The first `size` bytes, or all of them when there are fewer."""
        with clear_errors(self.name), self.open() as stream:
            return stream.read(size)

    @property
    def extension(self) -> str:
        """The ending that names the format: '.csv' for 'a.csv.gz'."""
        stem = Path(self.name.lower())
        return Path(stem.stem).suffix if stem.suffix in _PACKED else stem.suffix


class _ClosingReader(io.BufferedReader):
    """A buffered reader over a decompressor that closes the packed file with itself."""

    def __init__(self, unpacked: Any, packed: Any):
        super().__init__(unpacked, 1 << 18)
        self._packed = packed

    def close(self) -> None:
        super().close()
        self._packed.close()


def _only_member(stream: BinaryIO, name: str) -> Any:
    archive = zipfile.ZipFile(stream)
    members = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    if len(members) != 1:
        raise FileError(f"The archive holds {len(members)} files. One was expected. Unpack it first.", name)
    return archive.open(members[0])


def source_of(data: Any) -> Source:
    """The source behind a path, a `file://` address or an open file."""
    if hasattr(data, "read"):
        content = data.read()
        held = content.encode() if isinstance(content, str) else bytes(content)
        name = getattr(data, "name", None)
        packed = _compression(held[:16], io.BytesIO(held))
        return Source(name if isinstance(name, str) else "open file", None, held, packed)
    if not isinstance(data, (str, os.PathLike)):
        raise KindError(
            f"A file cannot be read from {type(data).__name__}. A path or an open binary file was expected. "
            "Make a table of data in memory with learnt.data.Table."
        )
    text = local_path(os.fspath(data))
    path, inner = Path(text), None
    if "::" in text and not path.exists():
        before, _, inner = text.partition("::")
        path = Path(before)
    if not path.exists():
        raise FileError("There is no such file. Check the path.", str(path))
    if path.is_dir():
        raise FileError("This is a folder, not a file. Use learnt.scan to read all files of a folder.", str(path))
    with clear_errors(str(path)), open(path, "rb") as stream:
        return Source(str(path), path, None, _compression(stream.read(16), stream), inner or None)


def local_path(text: str | bytes) -> str:
    """The path that a string or `file://` address names; other addresses are refused."""
    text = os.fsdecode(text)
    if scheme := re.match(r"([A-Za-z][A-Za-z0-9+.-]+)://", text):
        if scheme[1].lower() != "file":
            raise FileError("Nothing is downloaded. Fetch the file first and give its path.", text)
        return url2pathname(unquote(urlsplit(text).path))
    return os.path.expanduser(text)


def _compression(start: bytes, whole: BinaryIO) -> str | None:
    # By content, not by name: a '.gz' that was already unpacked in transfer just works.
    found = next((name for magic, name in _COMPRESSIONS if re.match(magic, start)), None)
    return None if found == "zip" and _is_workbook(whole) else found


def _is_workbook(stream: BinaryIO) -> bool:
    """Whether a zip archive is one of the spreadsheet formats, which are archives too."""
    try:
        members = zipfile.ZipFile(stream).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False
    return any(part in members for part in _WORKBOOK_PARTS)


def format_of(source: Source, given: str | None) -> str:
    """The format that was given, or that the file's name and first bytes agree on."""
    if given is not None and given not in FORMATS:
        raise FileError(f"There is no format {spell(given)}. Formats are {', '.join(FORMATS)}.", source.name)
    start = source.head(1 << 16)
    if start.startswith(b"FEA1"):
        raise FileError("This is a Feather file of version 1. Write it again as version 2, or as Parquet.", source.name)
    magic = next((name for mark, name in _BINARY if re.match(mark, start)), None)
    named = given or _EXTENSIONS.get(source.extension)
    if magic is not None and named in (None, magic):
        return magic
    if magic is not None or named in _BINARY_FORMATS:
        holds = magic or ("nothing" if not start else "something else")
        raise FileError(
            f"The file holds {holds}, but {named} was expected from "
            + (f"format={spell(given)}." if given else f"its name ending in {source.extension!r}.")
            + (f" Give format={magic!r} or rename it." if magic else " It may be damaged or misnamed."),
            source.name,
        )
    return named or _format_of_text(start)


def _format_of_text(start: bytes) -> str:
    lines = [line.strip() for line in start.removeprefix(b"\xef\xbb\xbf").splitlines()]
    telling = next((line for line in lines if line and line[:1] not in b"%#"), b"")
    if telling[:1] == b"{" or begins_array(start):
        return "jsonl"
    if telling[:1] == b"@" and re.match(rb"@(relation|attribute)\b", telling, re.I):
        return "arff"
    return "libsvm" if _LIBSVM_LINE.fullmatch(telling) else "csv"


@contextmanager
def clear_errors(name: str) -> Iterator[None]:
    """Whatever the libraries below raise about a file becomes a FileError that names it."""
    try:
        yield
    except LearntError:
        raise
    except FileNotFoundError as error:
        raise FileError("There is no such file. Check the path.", name) from error
    except PermissionError as error:
        raise FileError("The file may not be read. Check its permissions.", name) from error
    except (OSError, EOFError, ValueError, NotImplementedError, KeyError, RuntimeError) as error:
        raise FileError(_damage_words(error), name) from error
    except MemoryError as error:  # damaged sizes ask for more than any machine has
        raise FileError("The file asks for more memory than there is. It may be damaged.", name) from error
    except (zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error) as error:
        raise FileError(_damage_words(error), name) from error


def _damage_words(error: Exception) -> str:
    reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
    return f"The file cannot be read: {reason}. It may be damaged or cut off. Make or fetch it again."
