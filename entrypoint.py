"""Where the container begins: run the Action and exit with its code."""

import os
import sys

from evalaction.doors import end_on_signals, patient_streams

if __name__ == "__main__":
    end_on_signals()
    patient_streams()
    from evalaction.action import main

    sys.exit(main(os.environ))
