"""evalaction keeps flaky model behaviour out of a main branch."""

__version__ = "0.1.0"
