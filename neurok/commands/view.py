"""neurok view: the object in a browser, to be seen, dragged and thrown."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.material_options import NoPredict
from neurok.commands.options import PLAIN_FLAG, AllowOutside, UpAxis, hint, whole, word
from neurok.errors import MissingExtra, OptionError

LAPTOP_OPENING = (1.3,)  # rad: how far the bundled laptop is open when it is first seen


@dataclass(frozen=True)
class View:
    """Show an object on a page in the browser: drag it, throw it, slide its coordinates, export what it did.

    Without an input, the bundled laptop. Other files can be dropped onto the page.
    """

    input: Positional[Annotated[str | None, word("INPUT"), hint("default: a laptop of our own")]] = None
    """a mesh, a URDF, a PartNet-Mobility folder or zip, or a file with a motion"""
    port: Annotated[int, whole("--port"), hint("default: 8080; 0 takes a free one")] = 8080
    """where the page is served"""
    host: Annotated[str, word("NAME"), hint("default: 127.0.0.1")] = "127.0.0.1"
    """the address to listen on; any other than the default lets other machines use it"""
    no_predict: NoPredict = False
    up: UpAxis = "auto"
    allow_outside: AllowOutside = False
    open: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """open the page in the system's browser"""

    def run(self) -> None:
        from importlib.util import find_spec

        if find_spec("aiohttp") is None:
            raise MissingExtra("the viewer", "viewer")
        if not 0 <= self.port < 65536:
            raise OptionError(f"--port is {self.port}", "give a number from 0 to 65535")
        from pathlib import Path

        from neurok.assets.laptop import BUNDLED
        from neurok.commands.files import open_input
        from neurok.commands.say import note, progress, say
        from neurok.viewer.server import Server, serve
        from neurok.viewer.viewed_object import ViewedObject

        asset = open_input(self.input or str(BUNDLED), up=self.up, allow_outside=self.allow_outside)
        title = Path(self.input).stem if self.input else "laptop"
        if asset.articulation is None and not asset.motions:
            note(f"finding out how {title} moves")
        with progress("finding out"):
            shown = ViewedObject(asset, title, predicts=not self.no_predict)
        if self.input is None:
            shown.start = LAPTOP_OPENING
        server = Server(lambda: shown, self.host, self.port)
        server.outcomes.add(shown)

        def ready(address: str) -> None:
            say(f"{title} is at {address} (Ctrl+C ends it)")
            if self.open:
                import webbrowser

                webbrowser.open(address)

        if self.host not in ("127.0.0.1", "localhost", "::1"):
            note(f"everyone who can reach {self.host} can use this page and send it files")
        try:
            serve(server, ready)
        except KeyboardInterrupt:
            say("ended")
        finally:
            for line in server.outcomes.describe():
                say(line)
