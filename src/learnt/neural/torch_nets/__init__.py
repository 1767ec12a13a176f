"""Nets of images and sequences, which PyTorch trains: it is loaded when one is fitted or asked, not before."""
