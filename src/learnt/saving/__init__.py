"""Models as files: one safetensors file each, loading runs no code and trusts nothing."""

from learnt.saving.model import load, save

__all__ = ["load", "save"]
