"""Option trees: where several tests are about as good, all of them."""
