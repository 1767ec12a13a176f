"""The rows of the cluster's benchmark: several files of Parquet with structure that every learner can be asked for.

Eight groups stand around planted centres; `value` is linear in the columns, `label` follows products and bends of
them. Each row group is drawn by its own number, so that fewer rows are the beginning of more.
"""

import json
import shutil
from pathlib import Path

FEATURES, CENTERS, GROUP_ROWS, GROUPS_PER_FILE = 25, 8, 65_536, 16
ROW_BYTES = 8 * FEATURES + 9
HELD_OUT_ROWS = 262_144
DATA = Path(__file__).resolve().parent / "data" / "cluster"


def planted():
    """The centres of the groups and the coefficients of `value`."""
    import numpy as np

    rng = np.random.default_rng(0)
    return 2.5 * rng.standard_normal((CENTERS, FEATURES)), rng.standard_normal(FEATURES)


def group(number, rows):
    """One row group: the same for the same number."""
    import numpy as np
    import pyarrow as pa

    centers, coefficients = planted()
    rng = np.random.default_rng([1, number])
    x = centers[rng.integers(0, CENTERS, rows)] + rng.standard_normal((rows, FEATURES))
    x = x.T.copy()
    value = coefficients @ x + rng.standard_normal(rows)
    steep = 0.4 * x[0] * x[1] / (1 + np.abs(x[1])) + np.sin(x[2]) + 0.3 * np.abs(x[3]) + 0.3 * x[4] + 0.2 * x[5] - 1
    label = (rng.random(rows) < 1 / (1 + np.exp(-steep))).astype(np.int8)
    return pa.table([*x, value, label], schema=schema())


def schema():
    import pyarrow as pa

    numbers = [(f"x{j}", pa.float64()) for j in range(FEATURES)]
    return pa.schema([*numbers, ("value", pa.float64()), ("label", pa.int8())])


def folder_of(rows):
    """The folder of that many rows, written if it is not there: rows below it, `held_out.parquet` beside them."""
    folder = DATA / f"{rows}"
    if (folder / "facts.json").exists():
        return folder
    free = shutil.disk_usage(DATA.parent.parent).free
    if free < 1.2 * rows * ROW_BYTES + 1e9:
        raise SystemExit(f"{free / 1e9:.1f} GB are free, {1.2 * rows * ROW_BYTES / 1e9 + 1:.1f} GB are needed.")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "rows").mkdir(parents=True)
    sizes = [min(GROUP_ROWS, rows - first) for first in range(0, rows, GROUP_ROWS)]
    for first in range(0, len(sizes), GROUPS_PER_FILE):
        numbers = range(first, min(first + GROUPS_PER_FILE, len(sizes)))
        write(folder / "rows" / f"part-{first // GROUPS_PER_FILE:04}.parquet", [(i, sizes[i]) for i in numbers])
    write(folder / "held_out.parquet", [(1_000_000 + i, GROUP_ROWS) for i in range(HELD_OUT_ROWS // GROUP_ROWS)])
    size = sum(path.stat().st_size for path in (folder / "rows").iterdir())
    (folder / "facts.json").write_text(json.dumps({"rows": rows, "bytes": size, "files": -(-len(sizes) // 16)}))
    return folder


def write(path, groups):
    """Row groups of these numbers and sizes, uncompressed, so that the size on disk is the size of the data."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema(), compression="none", use_dictionary=False) as out:
        for number, rows in groups:
            out.write_table(group(number, rows), row_group_size=rows)


if __name__ == "__main__":
    import sys

    print(folder_of(int(sys.argv[1])))
