"""Running: time, what acts while it runs, and going through what was recorded."""

import numpy as np

from neurok.viewer import messages as m
from neurok.viewer.places import settled_point
from neurok.viewer.present import Answer, Present
from neurok.viewer.take import FPS, PUSH_FRAMES

PUSH = 1.5  # diagonals a second
ANEW = m.Say("The forces have changed: recording anew from here.", False)


def settings(now: Present, message: m.Settings) -> Answer:
    """Other forces; time that runs goes on from here in a new take."""
    running, was = now.running, now.taken().frames
    q, v = now.stop_here()
    now.settings = message
    if message.free != now.space.has_free_base:
        now.take_up()
        now.take, now.at_end = None, False  # its frames are those of other coordinates
        now.set_base(message.free, q)
        begun = now.begin(np.zeros(now.space.size)) if running else []
        word = "can fall, slide and tumble" if now.space.has_free_base else "is held"
        return [*now.hello()[:3], *begun, m.Say(f"The base {word}{'; recording anew' if was else ''}.", False)]
    return [*now.begin(v), ANEW] if running else [now.taken()]


def push(now: Present, message: m.PushPoint) -> Answer:
    direction = np.array(message.direction)
    length = float(np.linalg.norm(direction))
    if not length > 0:
        return []
    point = settled_point(now.space, now.body.point(message.triangle, message.weights))
    # What gives the whole mass a speed of PUSH diagonals a second, were it free.
    metres = now.body.stage.size * now.body.mesh.unit
    newtons = PUSH * metres * now.scene().masses.total * FPS / PUSH_FRAMES
    newtons *= float(np.clip(message.strength, 0.0, 100.0))
    begun = [] if now.running else now.begin(now.rates)
    now.take.push(point, now.body.stage.turn.T @ (direction / length) * newtons)
    return [*begun, m.Say(f"Pushed with {newtons:.3g} N.", False)]


def run(now: Present, _: m.Run) -> Answer:
    if now.running:
        return []
    if now.take is not None and now.at_end and not now.take.is_full:
        now.running = True
        return [now.taken(), m.Say("Running on.", False)]
    return now.begin(now.rates)


def pause(now: Present, _: m.Pause) -> Answer:
    now.running = False
    return [now.taken(), m.Say("Paused.", False)]


def step(now: Present, _: m.StepOnce) -> Answer:
    begun = [] if now.take is not None and now.at_end and not now.take.is_full else now.begin(now.rates)
    now.running = False
    now.take.advance()
    return [*begun, now.pose(), now.taken()]


def reset(now: Present, _: m.Reset) -> Answer:
    return [*now.give_up(), m.Say("Back at rest.", False)]


def seek(now: Present, message: m.Seek) -> Answer:
    if now.take is None or not 0 <= message.frame < now.take.frame_count:
        return []
    now.running = now.at_end = False
    q, v, base, *_ = now.take.records[message.frame]
    space = now.space.with_base_pose(base)
    now.handles.clear()
    now.put(*space.unroll(q, v)[1:])
    return [now.taken()]


def tick(now: Present) -> Answer:
    """One frame further, while time runs."""
    if not now.running:
        return []
    now.take.advance()
    said: Answer = [now.pose()]
    if now.take.is_at_rest or now.take.is_full:
        now.running = False
        rests = f"At rest after {now.take.time:.1f} s."
        words = rests if now.take.is_at_rest else f"Stopped after {now.take.time:.0f} s, the longest take."
        said += [now.taken(), m.Say(words, False)]
    return said


ANSWERS = {
    m.Settings: settings, m.PushPoint: push, m.Run: run, m.Pause: pause, m.StepOnce: step, m.Reset: reset, m.Seek: seek,
}  # fmt: skip
