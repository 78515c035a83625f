"""Draws kept in a file as they come, so that a run that was killed loses nothing that was paid for."""
