"""Spaces: how a stranger's mesh moves, found in a process of its own and within a deadline.

A mesh may be such that finding out takes for ever. Then it moves as one rigid body, and the page says so.
"""

import asyncio
import inspect
import tempfile
from pathlib import Path
from typing import Any

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.kinematics.kinematics import Kinematics
from neurok.opening import choose_kinematics
from neurok.viewer.body import Body, Found, as_one_body, state_space
from neurok.viewer.children import child_main, run_child

SECONDS = 30.0  # of the processor's time to find out how an object moves
MOST_COORDINATES = 512  # of an object with joints


async def body_of(asset: Asset, title: str) -> Body:
    """An object on its stage, ready to be shown; whatever the asset holds, within the deadline and a little more."""
    if asset.motions and asset.articulation is None:
        return await asyncio.to_thread(Body, asset, title)
    joints = asset.articulation
    try:
        if joints is not None and 0 < len(joints.joints) <= MOST_COORDINATES:
            found = await asyncio.to_thread(state_space, asset)  # no question, and no work to speak of
        else:
            found = await found_space(asset)
    except InputError as fault:
        found = as_one_body(asset.mesh, fault.problem)
    return await asyncio.to_thread(Body, asset, title, found)


async def found_space(asset: Asset) -> Found:
    """How an asset moves; an InputError where it does not, or where that is not known in time."""
    from neurok.files.usd.transfer import pack, unpack

    with tempfile.TemporaryDirectory(prefix="neurok-") as name:
        folder = Path(name)
        await asyncio.to_thread(pack, Asset(asset.mesh, articulation=asset.articulation), folder)
        try:
            await run_child("neurok.viewer.spaces", folder, seconds=SECONDS)
        except TimeoutError:
            raise InputError(f"how it moves was not found within {SECONDS:.0f} s", "use a smaller object") from None
        left: Any = await asyncio.to_thread(unpack, folder / "space")
    return await asyncio.to_thread(_made, asset, left)


def _made(asset: Asset, left: dict[str, Any]) -> Found:
    """The space from what the process left: the parts of a learned one, or the joints it moves by."""
    from neurok.kinematics.twists import Twists
    from neurok.opening import kinematics

    if left["twists"] is not None:
        return Found(Twists(asset.mesh, **left["twists"]), why=left["why"])
    return Found(kinematics(left["asset"] or asset), why=left["why"])


def _find(folder: Path) -> None:
    """In the process of its own: find the space, leave its parts."""
    from neurok.files.usd.transfer import pack, unpack
    from neurok.kinematics.twists import Twists

    asset = unpack(folder)
    choice = choose_kinematics(asset)
    space = choice.space
    if space.size > MOST_COORDINATES:
        raise InputError(f"its {space.size} joints are more than a page can show", "use a simpler object")
    learned = type(space) is Twists and space.mesh is asset.mesh
    left = {
        "twists": _parts(space) if learned else None,
        "asset": None if choice.asset is asset or learned else choice.asset,
        "why": choice.why,
    }
    (folder / "space").mkdir()
    pack(left, folder / "space")


def _parts(space: Kinematics) -> dict[str, Any]:
    """What a space is made from, besides its mesh."""
    names = [name for name in inspect.signature(type(space)).parameters if name != "mesh"]
    return {name: _plain(getattr(space, name)) for name in names}


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


if __name__ == "__main__":
    child_main(_find, broken=("how it moves could not be found", "report the file"))
