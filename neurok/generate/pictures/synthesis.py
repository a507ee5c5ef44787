"""Analysis by synthesis: draw objects of a kind, look at each as at the picture, keep and refine the best.

Two framed outlines A and B are alike by |A and B| / |A or B|; two pictures by the cosine of their features. All is
counted in draws, not in seconds, so that a seed repeats.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from neurok.data.procedural.choices import Wish
from neurok.errors import NeurokError
from neurok.files.camera import CameraView
from neurok.files.renderer import Renderer
from neurok.generate.making import SEED_STEP, make_object
from neurok.generate.measuring import MadeObject
from neurok.generate.pictures.backbone import PictureBackbone
from neurok.generate.pictures.colours import code_light, decode_light, guess_family, make_material
from neurok.generate.pictures.heads import PictureOpinion
from neurok.generate.pictures.reading import BACKDROP, FRAME_SIDE, Pixels, Subject, frame_subject
from neurok.generate.request import Request
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Material, Mesh

# Set by hand: some seconds of one core.
DRAW_COUNT = 12  # objects that are drawn
STEP_COUNT = 24  # changes that are tried on the best
FEATURE_WEIGHT = 1.0  # of the cosine of features beside the agreement of outlines
TURNS = (-30.0, 0.0, 30.0)  # [degrees] about the azimuth that the network tells
NEAR_TURNS, NEAR_LIFTS = (-10.0, 0.0, 10.0), (-8.0, 0.0, 8.0)
CHANGE_SHARE = 0.25  # standard deviation of a change, of the range of a number
OPENING = 28.0  # [degrees]
LIGHT_ROUNDS = 2
MIN_LIGHT = 0.01  # linear, of what is drawn: a darker place tells nothing of the light
MIN_PIXELS = 12  # of a material, in a framed picture, to tell its colour


@dataclass(frozen=True)
class Candidate:
    """An object drawn for a picture: its number, wishes beyond the request's, the view that fits best, how alike the
    outlines are, and the score."""

    made: MadeObject
    number: int
    wishes: Mapping[str, Wish]
    view: CameraView
    overlap: float
    score: float


class PictureMatcher:
    """Compares objects with the subject of one picture; use it in a `with` block of its renderer."""

    def __init__(
        self, subject: Subject, opinion: PictureOpinion, backbone: PictureBackbone, renderer: Renderer
    ) -> None:
        self.subject, self.opinion, self.backbone, self.renderer = subject, opinion, backbone, renderer
        self.pixels, self.mask = frame_subject(subject)
        self.features = _normalise(backbone.look(self.pixels[None]).numpy()[0])

    def find_view(self, mesh: Mesh, views: list[CameraView]) -> tuple[float, CameraView]:
        """The view from which an object's outline is most like the picture's, and how alike it is there."""
        rated = [(measure_overlap(self.draw(mesh, view)[1], self.mask), -i) for i, view in enumerate(views)]
        best, place = max(rated)
        return best, views[-place]

    def draw(self, mesh: Mesh, view: CameraView) -> tuple[Pixels, Mask]:
        """An object framed as pictures are."""
        return frame_cutout(self.renderer.cutout(mesh, self.renderer.camera(mesh, view=view)))

    def rate(self, mesh: Mesh, views: list[CameraView]) -> tuple[CameraView, float, float]:
        """The best view, the agreement of outlines, and the score."""
        overlap, view = self.find_view(mesh, views)
        seen = _normalise(self.backbone.look(self.draw(mesh, view)[0][None]).numpy()[0])
        likeness = FEATURE_WEIGHT * float(seen @ self.features)
        return view, overlap, likeness + (overlap if self.subject.sure else 0.0)

    @property
    def first_views(self) -> list[CameraView]:
        lift = float(np.clip(self.opinion.elevation, 0.0, 60.0))
        return [make_view(self.opinion.azimuth + turn, lift) for turn in TURNS]


def make_view(azimuth: float, elevation: float) -> CameraView:
    return CameraView(float(np.clip(azimuth, -180.0, 180.0)), float(np.clip(elevation, -30.0, 80.0)), OPENING, 0.06)


def list_near_views(view: CameraView) -> list[CameraView]:
    return [make_view((view.azimuth or 0.0) + a, view.elevation + e) for a in NEAR_TURNS for e in NEAR_LIFTS]


def frame_cutout(cutout: Pixels) -> tuple[Pixels, Mask]:
    """A drawn object [h, w, 4] as `frame_subject` shows the subject of a picture."""
    alpha = cutout[:, :, 3:].astype(np.float64) / 255.0
    shown = np.clip(cutout[:, :, :3] + (1.0 - alpha) * BACKDROP, 0.0, 255.0).astype(np.uint8)
    mask = cutout[:, :, 3] >= 128
    if not mask.any():
        return np.full((FRAME_SIDE, FRAME_SIDE, 3), BACKDROP, dtype=np.uint8), np.zeros((FRAME_SIDE,) * 2, dtype=bool)
    return frame_subject(Subject(shown, mask, True, ""))


def measure_overlap(first: Mask, second: Mask) -> float:
    """|A and B| / |A or B|."""
    return float((first & second).sum() / max(int((first | second).sum()), 1))


def _normalise(features: Array) -> Array:
    unit: Array = features / max(float(np.linalg.norm(features)), 1e-12)
    return unit


def search(matcher: PictureMatcher, request: Request, kind: str, seed: int) -> list[Candidate]:
    """Objects of a kind, the one most like the picture first: DRAW_COUNT draws, the best of them refined."""
    found = [*_draw_candidates(matcher, request, kind, seed)]
    if not found:
        raise NeurokError(f"no {kind} could be made with what the picture shows", "give another --kind or --seed")
    best = max(found, key=lambda one: one.score)
    rng = np.random.default_rng([seed, DRAW_COUNT])
    for _ in range(STEP_COUNT):
        changed = _change(matcher, request, kind, best, rng)
        if changed is not None and changed.score > best.score:
            best = changed
            found.append(changed)
    return sorted(found, key=lambda one: -one.score)


def _draw_candidates(matcher: PictureMatcher, request: Request, kind: str, seed: int) -> Iterator[Candidate]:
    for draw in range(DRAW_COUNT):
        number = seed * SEED_STEP + draw
        made = make_object(request, kind, number)
        yield Candidate(made, number, {}, *matcher.rate(made.thing.mesh, matcher.first_views))


def _change(
    matcher: PictureMatcher, request: Request, kind: str, best: Candidate, rng: np.random.Generator
) -> Candidate | None:  # fmt: skip
    """The best candidate with some of its numbers changed a little; none where its program cannot make that."""
    numbers = [c for c in best.made.choices if c.kind == "number" and c.upper > c.lower]
    if not numbers:
        return None
    wishes = dict(best.wishes)
    for place in rng.choice(len(numbers), size=min(int(rng.integers(1, 5)), len(numbers)), replace=False):
        choice = numbers[int(place)]
        moved = float(choice.value) + CHANGE_SHARE * (choice.upper - choice.lower) * rng.normal()
        wishes[choice.name] = float(np.clip(moved, choice.lower, choice.upper))
    try:
        made = make_object(request, kind, best.number, wishes)
    except (NeurokError, ValueError, ArithmeticError):  # numbers that do not go together
        return None
    return Candidate(made, best.number, wishes, *matcher.rate(made.thing.mesh, list_near_views(best.view)))


def colour(matcher: PictureMatcher, request: Request, kind: str, candidate: Candidate) -> Candidate:
    """The candidate with each of its materials in the colour that the picture has in its place.

    The picture's light is taken for that of the drawing: a material that is seen in colour s and drawn in d gets the
    colour b s / d, in linear light, where b was its colour; b begins as s.
    """
    choices = {c.name: c for c in candidate.made.choices if c.kind == "material"}
    where = _find_materials(matcher, request, kind, candidate, list(choices))
    masks = {name: matcher.mask & (where == place) for place, name in enumerate(choices)}
    seen = {n: _find_shade(matcher.pixels, own) for n, own in masks.items() if int(own.sum()) >= MIN_PIXELS}
    shades, wishes, made = dict(seen), dict(candidate.wishes), candidate.made
    for _ in range(LIGHT_ROUNDS):
        for name, b in shades.items():
            red, green, blue = code_light(b).tolist()
            shade = (red, green, blue)
            wishes[name] = make_material(guess_family(shade, choices[name].options), shade)
        made = make_object(request, kind, candidate.number, wishes)
        drawn = matcher.draw(made.thing.mesh, candidate.view)[0]
        for name, s in seen.items():
            shades[name] = np.clip(shades[name] * s / np.maximum(_find_shade(drawn, masks[name]), MIN_LIGHT), 0.0, 1.0)
    return replace(candidate, made=made, wishes=wishes)


def _find_shade(pixels: Pixels, where: Mask) -> Array:
    """The median colour of some pixels in linear light, [3]."""
    return decode_light(np.median(pixels[where], axis=0) / 255.0)


def _find_materials(
    matcher: PictureMatcher, request: Request, kind: str, candidate: Candidate, names: list[str]
) -> Indices:
    """Which of some named materials each pixel of a framed picture shows, -1 for none, [s, s]: drawn in flat colours
    that tell them apart."""
    shades = np.random.default_rng(0).permutation(_list_flat_shades(len(names)))
    flat: dict[str, Wish] = {
        name: Material(name, (*decode_light(shade).tolist(), 1.0), extensions={"KHR_materials_unlit": {}})
        for name, shade in zip(names, shades)
    }
    wishes = {**candidate.wishes, **flat}
    made = make_object(request, kind, candidate.number, wishes)
    pixels, mask = matcher.draw(made.thing.mesh, candidate.view)
    far = np.linalg.norm(pixels[:, :, None] / 255.0 - shades[None, None], axis=3)
    nearest = far.argmin(axis=2)
    return np.where(mask & (far.min(axis=2) < 0.06), nearest, -1)


def _list_flat_shades(count: int) -> Array:
    """So many colours [sRGB, 0 to 1] far from each other, [count, 3]."""
    steps = int(np.ceil(max(count, 1) ** (1 / 3)))
    levels = np.linspace(0.0, 1.0, steps + 1)[:-1] + 0.5 / steps
    grid = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, 3)
    shades: Array = grid[np.linspace(0, len(grid) - 1, count).astype(int)]
    return shades
