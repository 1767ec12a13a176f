"""What people type: files, columns, settings, methods, durations; and what is chosen where they leave it open."""
