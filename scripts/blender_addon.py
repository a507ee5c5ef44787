"""Builds the Blender add-on: dist/neurok_blender-VERSION.zip, which Blender 4.2 and newer install as an extension.

blender_addon.py [FOLDER]   FOLDER is dist where none is named; the same sources give the same bytes
"""

import sys
import tomllib
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = REPOSITORY / "integrations" / "blender"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can state: no clock in the bytes


def build_addon(folder: Path) -> Path:
    """Write the zip into a folder; its path."""
    manifest = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))
    path = folder / f"neurok_blender-{manifest['version']}.zip"
    folder.mkdir(parents=True, exist_ok=True)
    files = [SOURCE / "blender_manifest.toml", *sorted(SOURCE.glob("*.py")), REPOSITORY / "LICENSE"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return path


if __name__ == "__main__":
    print(f"wrote {build_addon(Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / 'dist')}")
