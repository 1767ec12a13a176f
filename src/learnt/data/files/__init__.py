"""Files of every format, read whole or scanned in batches."""
