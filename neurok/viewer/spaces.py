"""Spaces: how a stranger's mesh moves, found in a process of its own and within a deadline.

A mesh may be such that finding out takes for ever. Then it moves as one rigid body, and the page says so.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.kinematics.kinematics import Kinematics
from neurok.viewer.body import Body, as_one_body
from neurok.viewer.children import child_main, run_child

SECONDS = 45.0  # to find out how an object moves
MOST_COORDINATES = 512  # of an object with joints


async def body_of(asset: Asset, title: str) -> Body:
    """An object on its stage, ready to be shown; whatever the asset holds, within the deadline and a little more."""
    if asset.motions and asset.articulation is None:
        return await asyncio.to_thread(Body, asset, title)
    try:
        space, note = await found_space(asset), ""
    except InputError as fault:
        space, note = as_one_body(asset.mesh, fault.problem)
    return await asyncio.to_thread(Body, asset, title, space, note)


async def found_space(asset: Asset) -> Kinematics:
    """The state space of an asset; an InputError where it has none, or where that is not known in time."""
    from neurok.files.usd.transfer import pack, unpack

    with tempfile.TemporaryDirectory(prefix="neurok-") as name:
        folder = Path(name)
        await asyncio.to_thread(pack, Asset(asset.mesh, articulation=asset.articulation), folder)
        try:
            await run_child("neurok.viewer.spaces", folder, seconds=SECONDS)
        except TimeoutError:
            raise InputError(f"how it moves was not found within {SECONDS:.0f} s", "use a smaller object") from None
        parts: Any = await asyncio.to_thread(unpack, folder / "space")
    return await asyncio.to_thread(_made, asset, parts)


def _made(asset: Asset, parts: dict[str, Any]) -> Kinematics:
    """The space from what the process left: the parts of a learned one, or word that it is quickly made again."""
    from neurok.kinematics.build import kinematics
    from neurok.kinematics.twists import Twists

    if not parts:
        return kinematics(asset)
    return Twists(asset.mesh, parts["skin"], parts["basis"], origin=parts["origin"], names=parts["names"])


def _find(folder: Path) -> None:
    """In the process of its own: find the space, leave its parts."""
    from neurok.files.usd.transfer import pack, unpack
    from neurok.kinematics.build import kinematics
    from neurok.kinematics.twists import Twists

    asset = unpack(folder)
    space = kinematics(asset)
    if space.size > MOST_COORDINATES:
        raise InputError(f"its {space.size} joints are more than a page can show", "use a simpler object")
    (folder / "space").mkdir()
    parts: dict[str, Any] = {}
    if type(space) is Twists and space.mesh is asset.mesh:
        parts = {"skin": space.skin, "basis": space.basis, "origin": space.origin, "names": space.names}
    pack(parts, folder / "space")


if __name__ == "__main__":
    child_main(_find, broken=("how it moves could not be found", "report the file"))
