"""Collections of Dask, and lists of delayed frames, as scans whose parts are partitions."""

from learnt.data.dask.collections import scan_of
from learnt.data.dask.kinds import is_dask

__all__ = ["is_dask", "scan_of"]
