"""Hidden Markov models: sequences explained by states that follow each other."""
