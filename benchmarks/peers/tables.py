"""Reading files."""

from registry import THREADS, adapter


# ---------------------------------------------------------------- csv
@adapter("csv", "pandas C")
def _(cfg):
    import pandas as pd

    return lambda d: pd.read_csv(d["path"], engine="c"), lambda m, d: m.shape


@adapter("csv", "pandas engine=pyarrow")
def _(cfg):
    import pandas as pd

    return lambda d: pd.read_csv(d["path"], engine="pyarrow"), lambda m, d: m.shape


@adapter("csv", "pyarrow table")
def _(cfg):
    import pyarrow as pa
    from pyarrow import csv

    pa.set_cpu_count(THREADS)
    pa.set_io_thread_count(THREADS)
    return lambda d: csv.read_csv(d["path"]), lambda m, d: m.shape
