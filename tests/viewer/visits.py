"""Memory in use after thirty sessions and after a hundred more, each with an object that is moved and exported.

Prints both, in bytes. A program of its own, so that they are measured in a process that did nothing else.
"""

import ctypes
import gc
import json
import os

from neurok.files.registry import Asset
from neurok.viewer.viewed_object import ViewedObject
from tests.viewer.client import all_left, serving
from tests.viewer.objects import snake

BEFORE = 30  # sessions: caches fill in the first few
VISITS = 130
SAID = (
    {"type": "Surprise"},
    {"type": "Grab", "handle": 1, "triangle": 100, "weights": [0.3, 0.3, 0.4]},
    {"type": "Move", "handle": 1, "place": [0.0, 0.4, 0.0], "stamp": 1},
    {"type": "Release", "handle": 1, "velocity": [0.0, 2.0, 0.0]},
    {"type": "Run"},
)


async def visit(client) -> None:
    """One session: the object is dragged, thrown, sampled and exported."""
    socket = await client.socket()
    token = (await client.hear(socket, "Thing"))["token"]
    for said in SAID:
        await socket.send_str(json.dumps(said))
    while (await client.hear(socket, "Pose"))["frame"] < 3:
        pass
    assert (await client.client.get(f"/export/{token}/json?first=0&last=-1")).status == 200
    await socket.close()


def resident() -> int:
    """Bytes of memory this process has in use: what the allocator keeps for later is given back first."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measured() -> list[int]:
    sizes = []

    async def visits(client, server) -> None:
        small = snake(links=3, rings=6)
        server.first = lambda: ViewedObject(Asset(small.mesh, articulation=small), "snake")
        for index in range(1, VISITS + 1):
            await visit(client)
            if index in (BEFORE, VISITS):
                await all_left(server)
                gc.collect()
                sizes.append(resident())

    serving(visits)()
    return sizes


if __name__ == "__main__":
    print(json.dumps(measured()))
