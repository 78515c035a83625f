"""Where the container begins: run the Action and exit with its code."""

import os
import sys

from evalaction.action import main

if __name__ == "__main__":
    sys.exit(main(os.environ))
