"""Pictures of one object made many: backgrounds, colours and a slightly wrong outline, drawn anew."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from neurok.generate.pictures.reading import Pixels, Subject, find_subject

# Set by hand, never measured.
KNOWN_SHARE = 0.5  # of the pictures have their outline by an alpha
RECOLOURED_SHARE = 0.5  # of the objects get other colours, so that a palette does not give a kind away
GREY_SHARE = 0.1
PLAIN_SHARE = 0.6  # of the backgrounds are of one colour


def make_subject(cutout: Pixels, rng: np.random.Generator, *, own_colours: bool = False) -> Subject:
    """The object of a drawn picture [h, w, 4] as it would be found in a photograph of it; its colours drawn anew
    unless own_colours."""
    colours, alpha = cutout[:, :, :3].astype(np.float64), cutout[:, :, 3:].astype(np.float64) / 255.0
    colours = colours / np.maximum(alpha, 1e-3)
    colours = colours if own_colours else recolour(colours, rng)
    behind = draw_background(cutout.shape[0], rng)
    shown = np.clip(colours * alpha + behind * (1.0 - alpha), 0.0, 255.0)
    shown = np.clip(shown + rng.normal(0.0, 3.0 * rng.random(), shown.shape), 0.0, 255.0).astype(np.uint8)
    known = rng.random() < KNOWN_SHARE
    opacity = np.where(alpha > 0.5, 255, 0) if known else np.full_like(alpha, 255)
    return find_subject(np.concatenate([shown, opacity.astype(np.uint8)], axis=2))


def recolour(colours: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Colours [h, w, 3] with channels exchanged, tinted, greyed, lit otherwise."""
    if rng.random() < RECOLOURED_SHARE:
        colours = colours[:, :, rng.permutation(3)]
        colours = colours * rng.uniform(0.7, 1.3, 3)
    if rng.random() < GREY_SHARE:
        colours = np.broadcast_to(colours.mean(axis=2, keepdims=True), colours.shape)
    light = 255.0 * np.clip(colours / 255.0, 0.0, 1.0) ** rng.uniform(0.6, 1.5)
    return (light - 128.0) * rng.uniform(0.75, 1.15) + 128.0 + rng.uniform(-20.0, 20.0)


def draw_background(side: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Something behind an object: a colour that shades off, or blurred noise, [s, s, 3]."""
    across, down = np.meshgrid(np.linspace(-0.5, 0.5, side), np.linspace(-0.5, 0.5, side))
    ramp = (across * rng.normal() + down * rng.normal())[:, :, None]
    shade = rng.uniform(120.0, 255.0) + rng.normal(0.0, 15.0, 3)
    if rng.random() < PLAIN_SHARE:
        return shade + rng.uniform(0.0, 20.0) * ramp
    noise = ndimage.gaussian_filter(rng.normal(size=(side, side, 3)), (*[rng.uniform(1.0, 12.0)] * 2, 0.0))
    return shade + 40.0 * ramp + rng.uniform(5.0, 60.0) * noise / noise.std()
