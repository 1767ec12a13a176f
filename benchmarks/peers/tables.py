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


# ---------------------------------------------------------------- csv_stream
@adapter("csv_stream", "pandas chunks")
def _(cfg):
    import pandas as pd

    return lambda d: sum(map(len, pd.read_csv(d["path"], chunksize=65_536))), lambda m, d: m


@adapter("csv_stream", "pyarrow open_csv")
def _(cfg):
    import pyarrow as pa
    from pyarrow import csv

    pa.set_cpu_count(THREADS)
    pa.set_io_thread_count(THREADS)
    return lambda d: sum(batch.num_rows for batch in csv.open_csv(d["path"])), lambda m, d: m
