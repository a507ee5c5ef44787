"""The out-of-distribution score: how far a shape is from the shapes that a model was trained on.

A shape is described by category-free numbers. A table of such numbers of training shapes, the reference shapes, lies
beside the weights (`familiarity.safetensors`, made by `neurok.training.reference_shapes`). The score of a shape is its
mean distance to its nearest neighbours in the table, compared with the same distance of the reference shapes.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.observation import observe_surface

TABLE = "familiarity.safetensors"
SAMPLE_POINT_COUNT = 1024  # as many as training views have: the number of patches that samples meet depends on it
PAIR_COUNT = 4096  # pairs of points whose distances and normals are described
NEIGHBOUR_COUNT = 3  # nearest reference shapes, whose mean distance counts
UNUSUAL_SHARE, STRANGE_SHARE = 0.75, 0.95  # shares of reference shapes, from which on the sentence warns
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class OutOfDistributionScore:
    """distance: the mean distance to the nearest neighbours, in deviations of the reference shapes. share: of reference
    shapes that are nearer to their neighbours. ratio: the distance over that of the strangest reference shape."""

    distance: float
    share: float
    ratio: float

    @property
    def sentence(self) -> str:
        """One line for people."""
        if self.ratio > 1:
            return (
                f"unlike anything the model was trained on ({self.ratio:.2g} times as far from it as the strangest of "
                "it): expect little"
            )
        stranger = f"stranger than {100 * self.share:.0f} % of what the model was trained on"
        if self.share >= STRANGE_SHARE:
            return f"{stranger}: expect less"
        return f"{stranger}: a little unusual" if self.share >= UNUSUAL_SHARE else f"familiar: {stranger}"


UNKNOWN_SENTENCE = (
    "how far this object is from what the model was trained on is not known: its weights came without a table"
)


@dataclass(frozen=True)
class ReferenceShapes:
    """The descriptors of training shapes as rows [n, d], scaled by `centre`, `scale` [d]; and the mean distance of each
    to its nearest neighbours among them, sorted, [n]."""

    centre: Array
    scale: Array
    rows: Array
    distances: Array

    @classmethod
    def of(cls, descriptors: Array) -> "ReferenceShapes":
        """From the descriptors of training shapes, one per object, [n, d]."""
        if len(descriptors) <= NEIGHBOUR_COUNT:
            raise InputError(
                f"{len(descriptors)} shapes are too few to be compared with", f"give more than {NEIGHBOUR_COUNT}"
            )
        centre = np.median(descriptors, axis=0)
        scale = np.maximum(descriptors.std(axis=0), 1e-3)
        rows = ((descriptors - centre) / scale).astype(np.float16).astype(np.float64)  # as they are kept
        apart = [_neighbour_distance(row, np.delete(rows, i, axis=0)) for i, row in enumerate(rows)]
        return cls(centre, scale, rows, np.sort(apart))

    def judge(self, descriptor: Array) -> OutOfDistributionScore:
        """The score of a shape with this descriptor [d]."""
        distance = _neighbour_distance((descriptor - self.centre) / self.scale, self.rows)
        share = float(np.searchsorted(self.distances, distance)) / len(self.distances)
        return OutOfDistributionScore(distance, share, distance / max(float(self.distances[-1]), 1e-9))

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
    def load(cls, folder: str | Path) -> "ReferenceShapes | None":
        """The table beside weights; None where there is none."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        path = Path(folder) / TABLE
        if not path.is_file():
            return None
        try:
            arrays = {name: value.astype(np.float64) for name, value in load(path.read_bytes()).items()}
            table = cls(**arrays)
        except (OSError, SafetensorError, TypeError) as fault:
            raise InputError(f"{path} cannot be read ({fault})", "take it anew, or remove it") from None
        width = len(descriptor_names())
        count = len(table.rows)
        wanted = {"centre": (width,), "scale": (width,), "rows": (count, width), "distances": (count,)}
        if any(arrays[name].shape != shape for name, shape in wanted.items()) or len(table.rows) <= NEIGHBOUR_COUNT:
            raise InputError(f"{path} is of another version", "make it anew, or remove it")
        if not all(np.isfinite(value).all() for value in arrays.values()):
            raise InputError(f"{path} holds numbers that are not finite", "take it anew, or remove it")
        return table


def score_mesh(mesh: Mesh, folder: str | Path) -> OutOfDistributionScore | None:
    """How far a mesh is from what the weights in a folder were trained on; None where no table lies beside them."""
    reference = ReferenceShapes.load(folder)
    return None if reference is None else reference.judge(describe_mesh(mesh))


def describe_mesh(mesh: Mesh, seed: int = 0) -> Array:
    """The descriptor of a mesh, [d], as of a training view."""
    observation = observe_surface(mesh, SAMPLE_POINT_COUNT, np.random.default_rng(seed))
    samples = observation.samples
    return describe_points(samples.position, samples.normal, samples.area, observation.patch, observation.component)


def describe_points(position: Array, normal: Array, area: Array, patch: Indices, component: Indices) -> Array:
    """Category-free numbers of points [n, 3] in the canonical place, [d]; turning about the up axis changes little.

    Distances of pairs of points and how their normals lie to each other and to the line between them, spread about
    the middle, extents, how much faces up, and how the surface is shared among patches and components.
    """
    position, normal, area = (np.asarray(a, dtype=np.float64) for a in (position, normal, area))
    share = np.maximum(area, 0.0) / max(float(np.maximum(area, 0.0).sum()), 1e-300)
    rng = np.random.default_rng(0)
    one, other = rng.choice(len(position), size=(2, PAIR_COUNT), p=share)
    line = position[other] - position[one]
    length = np.linalg.norm(line, axis=1)
    line = line / np.maximum(length, 1e-9)[:, None]
    facing = np.einsum("pa,pa->p", normal[one], normal[other])
    across = np.abs(np.einsum("pa,pa->p", normal[one], line))
    centre = share @ position
    radius = np.linalg.norm(position[one] - centre, axis=1)
    extent = np.ptp(position, axis=0)
    wide = np.sort(extent[:2])
    parts = [f(label, share) for label in (patch, component) for f in (_log_count, _entropy, _largest)]
    return np.array([
        *np.quantile(length, QUANTILES), *np.quantile(facing, QUANTILES), *np.quantile(across, QUANTILES),
        *np.quantile(radius, QUANTILES[1:4]), *wide, extent[2], centre[2], float(share @ np.abs(normal[:, 2])), *parts,
    ])  # fmt: skip


def descriptor_names() -> tuple[str, ...]:
    """What the numbers of a descriptor are, [d]."""
    quantiles = [f"{what} {q:g}" for what in ("distance", "facing", "across") for q in QUANTILES]
    quantiles += [f"radius {q:g}" for q in QUANTILES[1:4]]
    parts = [f"{what} of {of}" for of in ("patches", "components") for what in ("count", "spread", "largest")]
    return (*quantiles, "narrow", "wide", "height", "centre height", "facing up", *parts)


def _log_count(label: Indices, share: Array) -> float:
    return float(np.log(len(np.unique(label))))


def _shares(label: Indices, share: Array) -> Array:
    return np.bincount(np.unique(label, return_inverse=True)[1], share).astype(np.float64)


def _entropy(label: Indices, share: Array) -> float:
    """Of how the surface is shared out among labels."""
    own = _shares(label, share)
    return float(-(own * np.log(np.maximum(own, 1e-12))).sum())


def _largest(label: Indices, share: Array) -> float:
    return float(_shares(label, share).max())


def _neighbour_distance(row: Array, rows: Array) -> float:
    """The mean distance from the nearest rows [n, d], per number."""
    square = ((rows - row) ** 2).mean(axis=1)
    return float(np.sqrt(np.partition(square, NEIGHBOUR_COUNT - 1)[:NEIGHBOUR_COUNT]).mean())
