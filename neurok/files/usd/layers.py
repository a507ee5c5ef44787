"""The files that a stage is composed of: checked before USD opens them, and kept inside one folder."""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pxr import Ar, Sdf

from neurok.errors import InputError

MAX_LAYERS = 2000


@dataclass
class StageFolder:
    """The folder that a stage may not leave, and notes on the files missing in it.

    Paths are resolved as USD does it (without %-escapes), links included.
    """

    name: str
    root: Path
    outside: bool = False
    notes: list[str] = field(default_factory=list)

    def resolve_asset(self, folder: Path, asset: str) -> Path:
        """The file that an asset path leads to from a folder; an error where it lies outside."""
        if asset.startswith("`"):
            raise InputError(f"{self.name} computes the name of a file ({asset[:80]})", "flatten the stage")
        if "://" in asset or "\0" in asset:
            raise InputError(f"{self.name} names '{asset[:80]}', which is not a file", "put the file beside it")
        target = (folder / asset).resolve()
        if not self.outside and not target.is_relative_to(self.root):
            raise InputError(
                f"{self.name} names '{asset}', which lies outside its own folder",
                "put the file beside it, or allow it with --allow-outside if you trust the file",
            )
        return target

    def open_root(self, path: Path) -> Sdf.Layer:
        """The root layer, after all files it is composed of have been found to lie inside the folder."""
        layer = Sdf.Layer.FindOrOpen(str(path))
        if not layer:
            raise InputError(f"{self.name} cannot be parsed", "export it again")
        waiting, seen = [(layer, path.parent, False)], {layer.identifier}
        while waiting:
            current, folder, packed = waiting.pop()
            for asset in list_assets(current):
                found = self._follow(current, folder, asset, packed)
                if found and found[0].identifier not in seen:
                    seen.add(found[0].identifier)
                    waiting.append(found)
            if len(seen) > MAX_LAYERS:
                raise InputError(f"{self.name} is made of more than {MAX_LAYERS} files", "flatten the stage")
        return layer

    def _follow(self, layer: Sdf.Layer, folder: Path, asset: str, packed: bool) -> tuple[Sdf.Layer, Path, bool] | None:
        """The layer an asset path leads to, the folder it lies in, and whether that is inside a package."""
        file, _ = Sdf.Layer.SplitIdentifier(asset)
        if packed:  # names in a package are relative to it and may not climb
            if PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts or file.startswith("`"):
                self.resolve_asset(folder, file)  # allowed only where a file on disk would be
            found = Sdf.Layer.FindOrOpenRelativeToLayer(layer, asset)
            return (found, folder, True) if found else self._miss(file)
        inside = Ar.IsPackageRelativePath(file)
        outer = Ar.SplitPackageRelativePathOuter(file)[0] if inside else file
        target = self.resolve_asset(folder, outer)
        if not target.is_file():
            return self._miss(file)
        found = Sdf.Layer.FindOrOpenRelativeToLayer(layer, asset)
        if not found:
            return self._miss(file)
        return found, target.parent, inside or target.suffix.lower() == ".usdz"

    def _miss(self, file: str) -> tuple[Sdf.Layer, Path, bool] | None:
        """Note that a layer is missing; returns None for it."""
        self.notes.append(f"'{file}', which the stage is made of, is missing or cannot be parsed")
        return None


def list_assets(layer: Sdf.Layer) -> list[str]:
    """Every file a layer is composed with: sublayers, references, payloads, in all variants, and value clips."""
    names = set(layer.GetCompositionAssetDependencies())
    paths: list[Sdf.Path] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    for path in paths:
        spec = layer.GetPrimAtPath(path) if path.IsPrimPath() or path.IsPrimVariantSelectionPath() else None
        if spec and spec.HasInfo("clips"):
            names |= set(_find_assets(spec.GetInfo("clips")))
    return sorted(name for name in names if name)


def _find_assets(value: object) -> list[str]:
    if isinstance(value, Sdf.AssetPath):
        return [value.path]
    if isinstance(value, dict):
        found = [name for item in value.values() for name in _find_assets(item)]
        return found + ([value["templateAssetPath"]] if isinstance(value.get("templateAssetPath"), str) else [])
    if isinstance(value, Sdf.AssetPathArray):
        return [item.path for item in value]
    return []
