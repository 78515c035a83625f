"""Judges and their decks in every report: words, figures, rows, the document. Pure."""
