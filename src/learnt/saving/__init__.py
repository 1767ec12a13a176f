"""Models as files: one safetensors file each, loading runs no code and trusts nothing."""

from learnt.saving.model import load, read_notes, save

__all__ = ["load", "read_notes", "save"]
