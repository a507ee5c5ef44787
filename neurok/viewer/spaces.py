"""Spaces: how a stranger's mesh moves, found in a process of its own and within a deadline.

A mesh may be such that finding out takes for ever. Then it moves as one rigid body, and the page says so.
"""

import asyncio
import tempfile
from pathlib import Path

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.opening import choose_kinematics
from neurok.viewer.children import ChildFailure, run_as_child, run_child
from neurok.viewer.viewed_object import FoundSpace, ViewedObject, choose_rigid_space, find_space

SEARCH_SECONDS = 30.0  # of the processor's time to find out how an object moves
MAX_COORDINATES = 512  # of an object with joints


async def prepare_object(asset: Asset, title: str) -> ViewedObject:
    """An object on its stage, ready to be shown; whatever the asset holds, within the deadline and a little more."""
    if asset.motions and asset.articulation is None:
        return await asyncio.to_thread(ViewedObject, asset, title)
    joints = asset.articulation
    try:
        if joints is not None and 0 < len(joints.joints) <= MAX_COORDINATES:
            found = await asyncio.to_thread(find_space, asset)  # no question, and no work to speak of
        else:
            found = await find_space_in_child(asset)
    except ChildFailure as fault:
        found = choose_rigid_space(asset.mesh, f"{fault.problem} ({fault.reason})", is_fault=True)
    except InputError as fault:
        found = choose_rigid_space(asset.mesh, fault.problem)
    return await asyncio.to_thread(ViewedObject, asset, title, found)


async def find_space_in_child(asset: Asset) -> FoundSpace:
    """How an asset moves; an InputError where it does not, or where that is not known in time."""
    from neurok.files.usd.transfer import pack
    from neurok.viewer.space_transfer import load_record, restore_space

    with tempfile.TemporaryDirectory(prefix="neurok-") as name:
        folder = Path(name)
        await asyncio.to_thread(pack, Asset(asset.mesh, articulation=asset.articulation), folder)
        try:
            await run_child("neurok.viewer.spaces", folder, seconds=SEARCH_SECONDS)
        except TimeoutError:
            problem = f"how it moves was not found within {SEARCH_SECONDS:.0f} s"
            raise InputError(problem, "use a smaller object") from None
        record = await asyncio.to_thread(load_record, folder / "space")
    return FoundSpace(await asyncio.to_thread(restore_space, record, asset), why=record.why)


def _leave_space(folder: Path) -> None:
    """In the process of its own: find the space, leave its record."""
    from neurok.files.usd.transfer import unpack_asset
    from neurok.viewer.space_transfer import record_space, save_record

    asset = unpack_asset(folder)
    choice = choose_kinematics(asset)
    if choice.space.size > MAX_COORDINATES:
        raise InputError(f"its {choice.space.size} joints are more than a page can show", "use a simpler object")
    save_record(record_space(choice, asset), folder / "space")


if __name__ == "__main__":
    run_as_child(_leave_space, broken=("how it moves could not be found", "report the file"))
