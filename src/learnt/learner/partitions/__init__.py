"""Methods that take rows, on the partitions of Dask collections: lazily, and a collection back."""
