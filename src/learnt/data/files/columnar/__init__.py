"""Files whose columns come with types: Parquet, Arrow, Feather."""
