"""A page without a browser, and a server for it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import aiohttp
from aiohttp.test_utils import TestClient, TestServer

from neurok.assets.laptop import laptop
from neurok.files.packets import unpack
from neurok.files.registry import Asset
from neurok.viewer.server import Server
from neurok.viewer.viewed_object import ViewedObject

MACHINE = laptop()
LAPTOP = ViewedObject(Asset(MACHINE.mesh, articulation=MACHINE), "laptop")


class Client:
    """A page without a browser."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.origin = f"http://127.0.0.1:{client.port}"
        self.headers = {"Origin": self.origin}

    async def socket(self, **options) -> aiohttp.ClientWebSocketResponse:
        return await self.client.ws_connect("/socket", headers=self.headers, max_msg_size=0, **options)

    async def hear_fault(self, socket) -> str:
        said = await self.hear(socket, "Say")
        while not said["fault"]:
            said = await self.hear(socket, "Say")
        return said["text"]

    async def hear(self, socket, kind: str) -> dict:
        while True:
            message = unpack(await asyncio.wait_for(socket.receive_bytes(), 60))
            if message["type"] == kind:
                return message


def serving(test):
    """Run a coroutine test(client, server) against a server on a free port."""

    async def run() -> None:
        server = Server(lambda: LAPTOP)
        async with TestClient(TestServer(server.make_app(), host="127.0.0.1")) as client:
            await test(Client(client), server)

    return lambda: elsewhere(run())


def elsewhere(work):
    """Run a coroutine in a thread of its own: a browser's driver may have a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work)).result()


async def all_left(server) -> None:
    """Wait until all sessions have ended: leaving the page frees them."""
    for _ in range(600):
        if not server.tabs:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("sessions outlive their pages")
