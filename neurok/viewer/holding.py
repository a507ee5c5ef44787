"""Holding: what a page does to an object with its hands and sliders."""

import numpy as np
import torch

from neurok.errors import InputError
from neurok.viewer import messages as m
from neurok.viewer.naming import words
from neurok.viewer.places import settled_point
from neurok.viewer.present import Answer, Present
from neurok.viewer.take import thrown

FLING = 0.5  # diagonals a second: a hand that lets go faster than this throws
MOST_HANDLES = 16


def grab(now: Present, message: m.Grab) -> Answer:
    if len(now.handles) >= MOST_HANDLES:
        raise InputError(f"{MOST_HANDLES} points are held already", "release one first (Esc releases all)")
    point = settled_point(now.space, now.body.point(message.triangle, message.weights))
    now.handles[message.handle] = point
    if now.running:
        here = now.take.state.space.positions(torch.from_numpy(now.take.state.q), point).numpy()[0]
        now.take.hold(message.handle, point, here)
    else:
        now.take_up()
        now.drag.hold(message.handle, point)
    held = "a point" if len(now.handles) == 1 else f"{len(now.handles)} points"
    return [now.pose(), m.Say(f"Holding {held}.", False)]


def move(now: Present, message: m.Move) -> Answer:
    if message.handle not in now.handles:
        return []
    target = now.body.stage.file_points(np.array(message.place))
    if now.running:
        now.take.lead(message.handle, target)
        return []
    now.take_up()
    now.rates[:] = 0.0
    now.drag.move(message.handle, target)
    return [now.pose(message.stamp)]


def release(now: Present, message: m.Release) -> Answer:
    point = now.handles.pop(message.handle, None)
    if point is None:
        return []
    if now.running:
        now.take.release(message.handle)
        return [now.pose()]
    now.drag.release(message.handle)
    speed = np.linalg.norm(message.velocity)
    if speed < FLING:
        return [now.pose(), m.Say(f"Let go, {words(now.body, now.space, now.drag.q)}.", False)]
    velocity = now.body.stage.file_vectors(np.array(message.velocity))
    rates = thrown(now.scene(), now.space, now.drag.q, [point], velocity[None])
    return now.begin(rates) + [m.Say("Thrown.", False)]


def set_coordinate(now: Present, message: m.SetCoordinate) -> Answer:
    if not 0 <= message.index < now.space.size:
        raise InputError("the page named a coordinate that is not there", "reload the page")
    now.running = False
    now.take_up()
    q = now.drag.q.copy()
    q[message.index] = message.value
    now.drag.set_state(q)
    return [now.pose(message.stamp)]


ANSWERS = {m.Grab: grab, m.Move: move, m.Release: release, m.SetCoordinate: set_coordinate}
