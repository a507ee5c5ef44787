"""A viewer that shows a sheet of side x side vertices in a learned kind of state space: `soft_page SIDE`."""

import sys

from neurok.viewer.server import Server, serve
from tests.viewer.objects import soft_sheet

if __name__ == "__main__":
    shown = soft_sheet(side=int(sys.argv[1]))
    serve(Server(lambda: shown, port=0), lambda address: print(f"at {address}", flush=True))
