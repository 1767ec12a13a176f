"""Autoencoders: nets that give back their inputs through a code of few numbers."""

from learnt.neural.autoencoder.autoencoder import Autoencoder

__all__ = ["Autoencoder"]
