"""The viewer's page in a cell of a notebook, and the state of the object that is dragged there.

The page is served by a thread of this very process, on a free port of this machine alone, and shown in a frame.
"""

import html
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from neurok.errors import InputError, MissingExtra
from neurok.geometry.arrays import Array

if TYPE_CHECKING:
    from neurok.viewer.notebook_server import NotebookServer

MIN_HEIGHT = 240  # pixels, below which the page has no room for the object


def widget(thing: Any, *, height: int = 520) -> "Widget":
    """Show an object inside a notebook, to be dragged; height [pixels]. What is taken: see `neurok.kinematics`.

    As the last expression of a cell it is shown; `.q`, `.state` and `.vertices` are what it was dragged to, `.q` can be
    set, `.close()` ends it.
    """
    if find_spec("aiohttp") is None:
        raise MissingExtra("the viewer in a notebook", "viewer")
    from neurok.viewer.notebook_server import NotebookServer, view_anything

    if not isinstance(height, int) or height < MIN_HEIGHT:
        raise InputError(f"a widget {height} pixels high has no room", f"give {MIN_HEIGHT} or more")
    return Widget(NotebookServer(view_anything(thing)), height)


class Widget:
    """A handle of a page in a notebook. address: of the page, for a tab of its own."""

    def __init__(self, server: "NotebookServer", height: int) -> None:
        self._server, self.height = server, height
        self.address = server.start()

    @property
    def names(self) -> tuple[str, ...]:
        """What the coordinates are called, [k]."""
        return self._server.call(lambda state: tuple(state.space.names))

    @property
    def q(self) -> Array:
        """The coordinates as they are on the page, or were when it was left, [k]: rad, file units or deviations."""
        return self._server.call(lambda state: np.array(state.find_state()[0]))

    @q.setter
    def q(self, values: Any) -> None:
        try:
            q = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("a state is a list of numbers", "give as many as .q has") from None
        self._server.go_to(q)

    @property
    def state(self) -> dict[str, float]:
        """The coordinates by name."""
        return self._server.call(lambda state: dict(zip(state.space.names, state.find_state()[0].tolist())))

    @property
    def vertices(self) -> Array:
        """The vertices as they are on the page [unit of the file], [n, 3]."""
        return self._server.call(lambda state: state.compute_vertices())

    def close(self) -> None:
        """End the server; the page in the notebook moves no more, the last state can still be read."""
        self._server.stop()

    def __enter__(self) -> "Widget":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        source = html.escape(self.address, quote=True)
        return f'<iframe src="{source}" width="100%" height="{self.height}" style="border:0"></iframe>'
