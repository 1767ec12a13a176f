"""Arrow files with a flipped bit are a table or an error: Arrow itself trusts offsets and codes, and dies of them."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from learnt.data import read
from learnt.errors import FileError, LearntError


@pytest.mark.parametrize("bit", [0, 5])
def test_no_flipped_bit_kills_the_process(bit):
    towns = ["Bern", "Basel", "Chur"]
    table = pa.table({"town": towns, "again": pa.array(towns).dictionary_encode()})
    file = io.BytesIO()
    pyarrow.feather.write_feather(table, file, compression="uncompressed")
    content, refused = file.getvalue(), 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        try:
            read(io.BytesIO(bytes(damaged)), format="arrow")
        except LearntError:
            refused += 1
    assert 0 < refused < len(content)


def test_offsets_and_codes_out_of_range_are_named_as_damage():
    offsets = pa.py_buffer(np.array([0, 2**30, 4], np.int32).tobytes())
    beyond = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"Bern")])
    codes = pa.DictionaryArray.from_arrays(pa.array([7], pa.int32()), pa.array(["Bern"]), safe=False)
    for column in (beyond, codes):
        file = io.BytesIO()
        with pa.ipc.new_file(file, pa.schema([("town", column.type)])) as writer:
            writer.write_batch(pa.record_batch([column], names=["town"]))
        with pytest.raises(FileError, match="cannot be read"):
            read(io.BytesIO(file.getvalue()), format="arrow")
