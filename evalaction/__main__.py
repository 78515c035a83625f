"""``python -m evalaction`` is the command."""

from evalaction.cli import main

if __name__ == "__main__":
    main()
