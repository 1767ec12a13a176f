"""What commands write: predictions and tables as CSV, block by block, to files that are whole or not there."""
