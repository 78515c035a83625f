"""The nouns: frozen records that the stages hand on. No I/O, no arithmetic beyond what a field means."""
