"""Spaces: how a stranger's mesh moves, found in a process of its own and within a deadline.

A mesh may be such that finding out takes for ever. Then it moves as one rigid body, and the page says so.
"""

import asyncio
import tempfile
from pathlib import Path

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.materials.prediction.driving import states_masses
from neurok.mechanics.conditions import Conditions
from neurok.viewer.children import ChildFailure, run_as_child, run_child
from neurok.viewer.guesses import guess_kinematics
from neurok.viewer.material_choice import MaterialChoice, choose_by_materials
from neurok.viewer.viewed_object import FoundSpace, ViewedObject, choose_rigid_space, find_space

SEARCH_SECONDS = 30.0  # of the processor's time to find out how an object moves
TOO_SLOW = f"how it moves was not found within {SEARCH_SECONDS:.0f} s"
MAX_COORDINATES = 512  # of an object with joints
TITLE = "title.txt"  # what the object is called, in the folder of the child


async def prepare_object(asset: Asset, title: str) -> ViewedObject:
    """An object on its stage, ready to be shown; whatever the asset holds, within the deadline and a little more."""
    if asset.motions and asset.articulation is None:
        return await asyncio.to_thread(ViewedObject, asset, title)
    joints = asset.articulation
    try:
        if joints is not None and 0 < len(joints.joints) <= MAX_COORDINATES and states_masses(joints):
            found = await asyncio.to_thread(find_space, asset)  # no question, and no work to speak of
        else:
            found = await find_space_in_child(asset, title)
    except ChildFailure as fault:
        found = choose_rigid_space(asset.mesh, f"{fault.problem} ({fault.reason})", is_fault=True)
    except InputError as fault:
        found = choose_rigid_space(asset.mesh, fault.problem)
    return await asyncio.to_thread(ViewedObject, asset, title, found)


async def find_space_in_child(asset: Asset, title: str = "") -> FoundSpace:
    """How an asset of a title moves; an InputError where it does not, or where not even a guess is known in time."""
    from neurok.files.usd.transfer import pack
    from neurok.viewer.space_transfer import load_record, restore_space

    with tempfile.TemporaryDirectory(prefix="neurok-") as name:
        folder = Path(name)
        await asyncio.to_thread(pack, Asset(asset.mesh, articulation=asset.articulation), folder)
        (folder / TITLE).write_text(title, encoding="utf-8")
        await _search(folder)
        record = await asyncio.to_thread(load_record, folder / "space")
    space = await asyncio.to_thread(restore_space, record, asset)
    materials = Conditions.from_json(record.materials)
    return FoundSpace(space, record.guess, record.why, is_guess=bool(record.guess), materials=materials)


async def _search(folder: Path) -> None:
    """Have a child leave the record of a space in a folder; of a guess, which is quick, where the search is slow."""
    try:
        return await run_child("neurok.viewer.spaces", folder, seconds=SEARCH_SECONDS)
    except TimeoutError:
        pass
    try:
        await run_child("neurok.viewer.spaces", folder, TOO_SLOW, seconds=SEARCH_SECONDS)
    except TimeoutError:
        raise InputError(TOO_SLOW, "use a smaller object") from None


def _leave_space(folder: Path, reason: str = "") -> None:
    """In the process of its own: find the space, leave its record; reason: why only a guess is wanted, if it is."""
    from neurok.files.usd.transfer import unpack_asset
    from neurok.viewer.space_transfer import record_space, save_record

    asset = unpack_asset(folder)
    if reason:
        choice, guess = guess_kinematics(asset, InputError(reason, "use a smaller object"))
        found = MaterialChoice(choice, Conditions(), choice.why, guess)
    else:
        found = choose_by_materials(asset, (folder / TITLE).read_text(encoding="utf-8"))
    size = found.choice.space.size
    if size > MAX_COORDINATES:
        raise InputError(f"its {size} joints are more than a page can show", "use a simpler object")
    record = record_space(found.choice, asset, found.guess, found.materials.to_json(), found.why)
    save_record(record, folder / "space")


if __name__ == "__main__":
    run_as_child(_leave_space, broken=("how it moves could not be found", "report the file"))
