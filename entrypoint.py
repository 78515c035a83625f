"""Where the container begins: run the Action and exit with its code."""

import os
import sys

from evalaction.doors import begin_collecting, end_on_signals, ended_by, patient_streams, stop_collecting

if __name__ == "__main__":
    stop_collecting()
    end_on_signals()
    patient_streams()
    from evalaction.action import main

    begin_collecting()
    ended_by(lambda: sys.exit(main(os.environ)))
