"""All fuzzers, by name, in the order they run."""

from __future__ import annotations

from tools.fuzz.case import Fuzzer
from tools.fuzz.fuzzers.columnar import Arrow, Parquet
from tools.fuzz.fuzzers.databases import Sqlite
from tools.fuzz.fuzzers.kernels import Kernels
from tools.fuzz.fuzzers.models import Models
from tools.fuzz.fuzzers.networks import Networks
from tools.fuzz.fuzzers.packed import Packed
from tools.fuzz.fuzzers.tables import Tables
from tools.fuzz.fuzzers.texts import Arff, Csv, Json, Libsvm
from tools.fuzz.fuzzers.workbooks import Excel

FUZZERS: dict[str, Fuzzer] = {
    fuzzer.name: fuzzer
    for fuzzer in (
        *(Csv(), Packed(), Arff(), Json(), Libsvm(), Parquet(), Arrow(), Excel(), Sqlite(), Networks()),
        *(Models(), Tables(), Kernels()),
    )
}
