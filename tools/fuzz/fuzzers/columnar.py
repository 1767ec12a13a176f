"""Parquet, and Arrow in files, streams and Feather: offsets, counts and lengths that lie."""

from __future__ import annotations

import io
import random
from typing import Any

from tools.fuzz.fuzzers.files import FileFuzzer
from tools.fuzz.mutate import flip_bits, mutate_bytes, put_edge


def arrow_table() -> Any:
    """A few rows of every type a reader knows."""
    import pyarrow as pa

    return pa.table(
        {
            "number": pa.array([1.5, None, 3.0, -2.0]),
            "whole": pa.array([1, 2, None, 4], pa.int32()),
            "byte": pa.array([1, 2, 3, 255], pa.uint8()),
            "text": pa.array(["a", None, "longer words", "ü"]),
            "large": pa.array(["x", "y", None, "z"], pa.large_string()),
            "code": pa.array(["p", "q", "p", None]).dictionary_encode(),
            "flag": pa.array([True, None, False, True]),
            "day": pa.array([0, 1, None, 20000], pa.date32()),
            "time": pa.array([0, 10**9, None, 10**15], pa.timestamp("us")),
            "nothing": pa.nulls(4),
        }
    )


class _Columnar(FileFuzzer):
    def mutate(self, name: str, content: bytes, chance: random.Random) -> bytes:
        for _ in range(chance.choice((1, 1, 2, 4))):
            change = chance.choice((flip_bits, flip_bits, put_edge, put_edge, mutate_bytes))
            content = change(content, chance)
        return content


class Parquet(_Columnar):
    name = "parquet"
    endings = (".parquet",)

    def others(self) -> dict[str, bytes]:
        from pyarrow import parquet

        made = {}
        for name, settings in {
            "plain.parquet": {"compression": "none", "use_dictionary": False},
            "groups.parquet": {"compression": "none", "row_group_size": 2},
            "snappy.parquet": {"compression": "snappy", "data_page_version": "2.0"},
        }.items():
            out = io.BytesIO()
            parquet.write_table(arrow_table(), out, **settings)
            made[name] = out.getvalue()
        return made


class Arrow(_Columnar):
    name = "arrow"
    endings = (".arrow", ".feather")

    def others(self) -> dict[str, bytes]:
        import pyarrow as pa
        from pyarrow import feather

        made = {}
        for name, begin in {"file.arrow": pa.ipc.new_file, "stream.arrow": pa.ipc.new_stream}.items():
            out = io.BytesIO()
            with begin(out, arrow_table().schema) as writer:
                writer.write_table(arrow_table())
            made[name] = out.getvalue()
        for name, compression in {"plain.feather": "uncompressed", "packed.feather": "lz4"}.items():
            out = io.BytesIO()
            feather.write_feather(arrow_table(), out, compression=compression)
            made[name] = out.getvalue()
        return made
