"""Tree → Suite: golden files, templates, schemas, decks and configuration, resolved. Pure."""
