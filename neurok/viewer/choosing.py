"""Choosing: plausible states to go to, and what a coordinate moves."""

import numpy as np
import torch

from neurok.viewer import messages as m
from neurok.viewer.heat import heat
from neurok.viewer.present import Answer, Array, Present

CHOICES = 6
DRAWN = 48  # samples of which those are chosen, far from each other


def surprise(now: Present, _: m.Surprise) -> Answer:
    """A few plausible states, far from each other; the page goes to the first."""
    now.seed += 1
    drawn = now.space.prior.sample(DRAWN, torch.Generator().manual_seed(now.seed)).numpy().astype(np.float64)
    now.choices = apart(drawn / now.space.prior.deviation, drawn, CHOICES)
    _go(now, now.choices[0])
    shapes = np.stack([now.body.shape(now.space, q) for q in now.choices])
    return [m.Choices(len(now.choices), 0, shapes), now.pose(), now.taken(), m.Say("One of many.", False)]


def choose(now: Present, message: m.Choose) -> Answer:
    if not 0 <= message.index < len(now.choices):
        return []
    _go(now, now.choices[message.index])
    return [now.pose(), now.taken()]


def _go(now: Present, q: Array) -> None:
    now.running = False
    now.take_up()
    now.drag.put(q)


def region(now: Present, message: m.ShowRegion) -> Answer:
    if not 0 <= message.index < now.space.size:
        return []
    return [m.Region(message.index, np.round(255 * heat(now.space, message.index)).astype(np.uint8))]


def apart(scaled: Array, states: Array, count: int) -> list[Array]:
    """So many of the states, each as far as possible from those before it (scaled: [s, k])."""
    chosen = [0]
    reach = np.full(len(states), np.inf)
    while len(chosen) < min(count, len(states)):
        reach = np.minimum(reach, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
        chosen.append(int(reach.argmax()))
    return [states[index] for index in chosen]


ANSWERS = {m.Surprise: surprise, m.Choose: choose, m.ShowRegion: region}
