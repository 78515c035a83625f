"""Report → Markdown and JSON. Pure: text in, text out."""
