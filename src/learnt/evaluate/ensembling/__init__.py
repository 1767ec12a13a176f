"""Ensembles of what a comparison knows already: no learner is asked again about a row it has answered."""
