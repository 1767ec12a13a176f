"""Pictures of networks and of messages."""
