"""Many trees as flat arrays: what every ensemble of trees predicts with."""
