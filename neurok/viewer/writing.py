"""Writing: the process of its own in which an export's file is made; it loads no more than that takes."""

from pathlib import Path

from neurok.files.registry import save_files
from neurok.viewer.children import run_as_child


def write_file(folder: Path, name: str) -> None:
    """Write the motion, or the mesh, that lies in a folder to out/name beside it."""
    from neurok.files.usd.transfer import unpack_asset

    asset = unpack_asset(folder)
    (folder / "out").mkdir()
    save_files(asset.motions[0] if asset.motions else asset.mesh, folder / "out" / name)


if __name__ == "__main__":
    run_as_child(write_file, broken=("the file could not be made", "try another kind of file"))
