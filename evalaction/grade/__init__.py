"""From draws to graded draws and gates: what each draw says, and what a case comes to. Pure."""
