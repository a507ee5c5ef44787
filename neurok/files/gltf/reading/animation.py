"""Clips: channels that move nodes and morph targets, and their values at any time."""

from dataclasses import dataclass

import numpy as np

from neurok.errors import InputError
from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.accessors import decode_finite, denormalise
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record, damage_error
from neurok.files.gltf.reading.scene import GltfScene, convert_quaternions
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rotation import quaternion_normalise, quaternion_slerp

PATH_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")
MAX_CLIP_COUNT = 4096


@dataclass(frozen=True)
class GltfChannel:
    """One property of one node over time.

    node: place in the scene; path: translation, rotation, scale or weights.
    times: seconds, [k], never falling. values: [k, d], or [k, 3, d] for CUBICSPLINE
    (incoming tangent, value, outgoing tangent); rotations as (w, x, y, z).
    """

    node: int
    path: str
    interpolation: str
    times: Array
    values: Array

    def evaluate(self, times: Array) -> Array:
        """The property at given times [s], [t, d]; held at the first and last key outside of them."""
        times = np.clip(times, self.times[0], self.times[-1])
        right = np.clip(np.searchsorted(self.times, times, side="right"), 1, max(len(self.times) - 1, 1))
        left = right - 1
        if len(self.times) == 1:
            right = left
        span = self.times[right] - self.times[left]
        s = np.where(span > 0, (times - self.times[left]) / np.where(span > 0, span, 1.0), 1.0)[:, None]
        if self.interpolation == "STEP":
            return np.where(s >= 1.0, self.values[right], self.values[left])
        if self.interpolation == "CUBICSPLINE":
            return self._spline(left, right, s, span[:, None])
        if self.path == "rotation":
            return quaternion_slerp(self.values[left], self.values[right], s[:, 0])
        return (1.0 - s) * self.values[left] + s * self.values[right]

    def _spline(self, left: Indices, right: Indices, s: Array, span: Array) -> Array:
        """Hermite: (2s³-3s²+1) p0 + (s³-2s²+s) h m0 + (3s²-2s³) p1 + (s³-s²) h m1, with h the time between the keys."""
        p0, m0 = self.values[left, 1], self.values[left, 2]
        p1, m1 = self.values[right, 1], self.values[right, 0]
        s2, s3 = s * s, s * s * s
        value = (2 * s3 - 3 * s2 + 1) * p0 + (s3 - 2 * s2 + s) * span * m0
        value = value + (3 * s2 - 2 * s3) * p1 + (s3 - s2) * span * m1
        return quaternion_normalise(value) if self.path == "rotation" else value


@dataclass(frozen=True)
class GltfClip:
    """An animation: what it moves, and from when to when [s]."""

    name: str
    channels: tuple[GltfChannel, ...]

    @property
    def start(self) -> float:
        return min(float(c.times[0]) for c in self.channels)

    @property
    def end(self) -> float:
        return max(float(c.times[-1]) for c in self.channels)


def read_clips(document: GltfDocument, scene: GltfScene) -> tuple[GltfClip, ...]:
    """All animations that move something, in file order."""
    items = document.items("animations")
    if len(items) > MAX_CLIP_COUNT:
        raise InputError(f"the file has {len(items)} clips", f"split it: at most {MAX_CLIP_COUNT} are read")
    clips = []
    for i, item in enumerate(items):
        name = fields.text(item, "name") or f"animation_{i}"
        channels = _read_channels(document, scene, item, f"animation {i}")
        if channels:
            clips.append(GltfClip(name, channels))
        else:
            document.add_note(f"the clip {name} moves nothing and is left out")
    return tuple(clips)


def _read_channels(document: GltfDocument, scene: GltfScene, item: Record, what: str) -> tuple[GltfChannel, ...]:
    samplers = fields.records(item, "samplers", what)
    found: dict[tuple[int, str], GltfChannel] = {}
    for entry in fields.records(item, "channels", what):
        target = fields.record(entry, "target", what)
        path = fields.text(target, "path")
        if path == "pointer" or "KHR_animation_pointer" in fields.record(target, "extensions", what):
            document.add_note(f"{what} moves properties by KHR_animation_pointer; those are left out")
            continue
        node = fields.optional_index(target, "node", what)
        if node is None:
            continue  # the format asks to ignore it
        if node not in scene.place:
            raise damage_error(f"{what} moves node {node} of {len(scene.nodes)}")
        if path not in PATH_WIDTHS and path != "weights":
            raise damage_error(f"{what} moves the unknown property {path[:20]!r}")
        sampler = fields.index(entry, "sampler", what)
        if sampler >= len(samplers):
            raise damage_error(f"{what} refers to sampler {sampler} of {len(samplers)}")
        channel = _read_channel(document, scene.place[node], path, samplers[sampler], what)
        if channel is not None:
            found[channel.node, path] = channel
    return tuple(found.values())


def _read_channel(document: GltfDocument, node: int, path: str, sampler: Record, what: str) -> GltfChannel | None:
    interpolation = sampler.get("interpolation", "LINEAR")
    if interpolation not in INTERPOLATIONS:
        document.add_note(f"{what} has an unknown interpolation; it is read as LINEAR")
        interpolation = "LINEAR"
    times = _read_key_times(document, fields.index(sampler, "input", what), what)
    if not len(times):
        document.add_note(f"a channel of {what} has no keys and is left out")
        return None
    output = fields.index(sampler, "output", what)
    key = ("keys", output, path, interpolation, len(times))
    if key not in document.cache:
        document.cache[key] = _read_key_values(document, output, path, interpolation, len(times), what)
    return GltfChannel(node, path, str(interpolation), times, document.cache[key])


def _read_key_times(document: GltfDocument, place: int, what: str) -> Array:
    key = ("times", place)
    if key not in document.cache:
        times = decode_finite(document, place, width=1)[:, 0].astype(np.float64)
        if np.any(np.diff(times) < 0):
            raise damage_error(f"{what} has key times that do not rise")
        document.cache[key] = times
    return document.cache[key]


def _read_key_values(
    document: GltfDocument, place: int, path: str, interpolation: object, count: int, what: str
) -> Array:
    values = decode_finite(document, place, width=PATH_WIDTHS.get(path, 1))
    values = (values if values.dtype.kind == "f" else denormalise(values)).astype(np.float64)
    rows = count * 3 if interpolation == "CUBICSPLINE" else count
    width = PATH_WIDTHS.get(path) or len(values) // rows
    if width == 0 or values.size != rows * width:
        raise damage_error(f"{what} has {len(values)} values of {path} for {count} keys")
    values = values.reshape((count, 3, width) if interpolation == "CUBICSPLINE" else (count, width))
    if path != "rotation":
        return values
    return np.roll(values, 1, axis=-1) if interpolation == "CUBICSPLINE" else convert_quaternions(values)
