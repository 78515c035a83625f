"""From git to trees: the two sides of a comparison, as read-only mappings from path to content.

The only stage that starts a program, and that program is git.
"""
