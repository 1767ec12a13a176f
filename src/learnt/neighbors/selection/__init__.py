"""Which rows to keep: editing, condensing, instance-based learning."""
