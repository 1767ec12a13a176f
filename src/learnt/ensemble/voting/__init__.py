"""Different learners on the same rows that answer together, by a mean of what they say."""
