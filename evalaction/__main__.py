"""``python -m evalaction`` is the command."""

from evalaction.cli import run

if __name__ == "__main__":
    run()
