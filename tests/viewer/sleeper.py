"""A child that would sleep for ever; it leaves its number, and where it is told `parent` that of a child of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    if "parent" in sys.argv:
        other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(sys.argv[1], "other").write_text(str(other.pid))
    Path(sys.argv[1], "pid").write_text(str(os.getpid()))
    time.sleep(600)
