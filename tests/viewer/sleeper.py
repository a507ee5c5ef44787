"""A child that would sleep for ever; it leaves its number."""

import os
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    Path(sys.argv[1], "pid").write_text(str(os.getpid()))
    time.sleep(600)
