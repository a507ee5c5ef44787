"""How far a shape is from what a model was trained on: category-free numbers of it, beside those of training shapes.

A table of training shapes lies beside the weights (`familiarity.safetensors`, made by `neurok.training.known`). A shape
is as strange as it is far from its kin there; how strange that is, the training shapes say themselves.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.observation import observe_surface

TABLE = "familiarity.safetensors"
POINTS = 1024  # as many as training views have, since counts of what they meet depend on it
PAIRS = 4096
KIN = 3  # nearest training shapes, whose mean distance counts
STRANGE, STRANGER = 0.75, 0.95  # shares of training shapes
AGAINST = (0.05, 0.25, 0.5, 0.75, 0.95)  # quantiles


@dataclass(frozen=True)
class Familiarity:
    """distance: to the nearest kin, in deviations of training shapes. share: of training shapes that are nearer to
    theirs. reach: the distance over that of the strangest training shape."""

    distance: float
    share: float
    reach: float

    @property
    def sentence(self) -> str:
        """One line for people."""
        if self.reach > 1:
            return (
                f"unlike anything the model was trained on ({self.reach:.2g} times as far from it as the strangest of "
                "it): expect little"
            )
        stranger = f"stranger than {100 * self.share:.0f} % of what the model was trained on"
        if self.share >= STRANGER:
            return f"{stranger}: expect less"
        return f"{stranger}: a little unusual" if self.share >= STRANGE else f"familiar: {stranger}"


UNKNOWN = "how far this object is from what the model was trained on is not known: its weights came without a table"


@dataclass(frozen=True)
class Known:
    """Training shapes: rows [n, d] scaled by `centre`, `scale` [d]; the distance of each from its kin, sorted, [n]."""

    centre: Array
    scale: Array
    rows: Array
    distances: Array

    @classmethod
    def of(cls, descriptors: Array) -> "Known":
        """From the descriptors of training shapes, one per object, [n, d]."""
        if len(descriptors) <= KIN:
            raise InputError(f"{len(descriptors)} shapes are too few to be compared with", f"give more than {KIN}")
        centre = np.median(descriptors, axis=0)
        scale = np.maximum(descriptors.std(axis=0), 1e-3)
        rows = ((descriptors - centre) / scale).astype(np.float16).astype(np.float64)  # as they are kept
        apart = [_to_kin(row, np.delete(rows, i, axis=0)) for i, row in enumerate(rows)]
        return cls(centre, scale, rows, np.sort(apart))

    def judge(self, descriptor: Array) -> Familiarity:
        """How strange a shape is."""
        distance = _to_kin((descriptor - self.centre) / self.scale, self.rows)
        share = float(np.searchsorted(self.distances, distance)) / len(self.distances)
        return Familiarity(distance, share, distance / max(float(self.distances[-1]), 1e-9))

    def save(self, folder: str | Path) -> Path:
        """Write the table beside weights."""
        from safetensors.numpy import save_file

        path = Path(folder) / TABLE
        arrays = {"centre": self.centre, "scale": self.scale, "rows": self.rows, "distances": self.distances}
        kinds = {"rows": np.float16}
        kept = {name: np.ascontiguousarray(a, dtype=kinds.get(name, np.float32)) for name, a in arrays.items()}
        save_file(kept, path)
        return path

    @classmethod
    def load(cls, folder: str | Path) -> "Known | None":
        """The table beside weights; None where there is none."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        path = Path(folder) / TABLE
        if not path.is_file():
            return None
        try:
            arrays = {name: value.astype(np.float64) for name, value in load(path.read_bytes()).items()}
            known = cls(**arrays)
        except (OSError, SafetensorError, TypeError) as fault:
            raise InputError(f"{path} cannot be read ({fault})", "take it anew, or remove it") from None
        width = len(names())
        count = len(known.rows)
        wanted = {"centre": (width,), "scale": (width,), "rows": (count, width), "distances": (count,)}
        if any(arrays[name].shape != shape for name, shape in wanted.items()) or len(known.rows) <= KIN:
            raise InputError(f"{path} is of another version", "make it anew, or remove it")
        if not all(np.isfinite(value).all() for value in arrays.values()):
            raise InputError(f"{path} holds numbers that are not finite", "take it anew, or remove it")
        return known


def familiarity(mesh: Mesh, folder: str | Path) -> Familiarity | None:
    """How far a mesh is from what the weights in a folder were trained on; None where they do not say."""
    known = Known.load(folder)
    return None if known is None else known.judge(describe_mesh(mesh))


def describe_mesh(mesh: Mesh, seed: int = 0) -> Array:
    """The descriptor of a mesh, [d], as of a training view."""
    seen = observe_surface(mesh, POINTS, np.random.default_rng(seed))
    return describe(seen.samples.position, seen.samples.normal, seen.samples.area, seen.patch, seen.component)


def describe(position: Array, normal: Array, area: Array, patch: Indices, component: Indices) -> Array:
    """Category-free numbers of points [n, 3] in the canonical place, [d]; turning about the up axis changes little.

    Distances of pairs of points and how their normals lie to each other and to the line between them, spread about
    the middle, extents, how much faces up, and how the surface is shared among patches and components.
    """
    position, normal, area = (np.asarray(a, dtype=np.float64) for a in (position, normal, area))
    share = np.maximum(area, 0.0) / max(float(np.maximum(area, 0.0).sum()), 1e-300)
    rng = np.random.default_rng(0)
    one, other = rng.choice(len(position), size=(2, PAIRS), p=share)
    line = position[other] - position[one]
    length = np.linalg.norm(line, axis=1)
    line = line / np.maximum(length, 1e-9)[:, None]
    facing = np.einsum("pa,pa->p", normal[one], normal[other])
    across = np.abs(np.einsum("pa,pa->p", normal[one], line))
    centre = share @ position
    radius = np.linalg.norm(position[one] - centre, axis=1)
    extent = np.ptp(position, axis=0)
    wide = np.sort(extent[:2])
    parts = [f(label, share) for label in (patch, component) for f in (_count, _spread, _largest)]
    return np.array([
        *np.quantile(length, AGAINST), *np.quantile(facing, AGAINST), *np.quantile(across, AGAINST),
        *np.quantile(radius, AGAINST[1:4]), *wide, extent[2], centre[2], float(share @ np.abs(normal[:, 2])), *parts,
    ])  # fmt: skip


def names() -> tuple[str, ...]:
    """What the numbers of a descriptor are, [d]."""
    quantiles = [f"{what} {q:g}" for what in ("distance", "facing", "across") for q in AGAINST]
    quantiles += [f"radius {q:g}" for q in AGAINST[1:4]]
    parts = [f"{what} of {of}" for of in ("patches", "components") for what in ("count", "spread", "largest")]
    return (*quantiles, "narrow", "wide", "height", "centre height", "facing up", *parts)


def _count(label: Indices, share: Array) -> float:
    return float(np.log(len(np.unique(label))))


def _shares(label: Indices, share: Array) -> Array:
    return np.bincount(np.unique(label, return_inverse=True)[1], share)


def _spread(label: Indices, share: Array) -> float:
    """Entropy of how the surface is shared out."""
    own = _shares(label, share)
    return float(-(own * np.log(np.maximum(own, 1e-12))).sum())


def _largest(label: Indices, share: Array) -> float:
    return float(_shares(label, share).max())


def _to_kin(row: Array, rows: Array) -> float:
    """The mean distance from the nearest rows [n, d], per number."""
    square = ((rows - row) ** 2).mean(axis=1)
    return float(np.sqrt(np.partition(square, KIN - 1)[:KIN]).mean())
