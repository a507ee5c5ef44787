"""Environment: what acts on an object while time runs, by the settings of the page."""

from dataclasses import replace

import numpy as np

from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import Scene, build_scene
from neurok.mechanics.springs import EARTH_GRAVITY
from neurok.viewer.messages import Settings, to_vector
from neurok.viewer.recording import FPS, PUSH_FRAMES
from neurok.viewer.rehearsal import PACES, Rehearsal, choose_pace
from neurok.viewer.viewed_object import ViewedObject

PUSH_SPEED = 1.5  # diagonals a second that a push of strength one gives to an object which is free
MAX_STRENGTH = 100.0  # of a push


class Environment:
    """The settings of one object and the scene that they make.

    pace: the scheme and the step [s] with which time runs.
    """

    def __init__(self, shown: ViewedObject) -> None:
        self.shown = shown
        self.settings = choose_settings(shown.space)
        self.pace = PACES[0]
        self._built: tuple[Kinematics, Settings, Scene] | None = None

    def keep_base_free(self) -> None:
        """Undo a setting that holds the base: one rigid body has nothing else to move by."""
        self.settings = replace(self.settings, free=True)

    def make_conditions(self, space: Kinematics) -> Conditions:
        """The settings as conditions of a space, which is that of the object with a free base or a fixed one."""
        s, turn = self.settings, self.shown.stage.turn
        down = turn.T @ np.array([0.0, -1.0, 0.0])
        angle = np.radians(s.wind_angle)
        wind = turn.T @ np.array([np.cos(angle), 0.0, -np.sin(angle)]) * s.wind
        return replace(
            self.shown.found.materials,
            gravity=to_vector(np.round(down * s.gravity, 9) + 0.0),  # no negative zeros
            wind=to_vector(np.round(wind, 9) + 0.0),
            ground=s.ground,
            stiffness=s.stiffness,
            damping=s.damping,
            base="free" if space.has_free_base else "fixed",
            fps=FPS,
            integrator=self.pace[0],
            dt=self.pace[1],
        )

    def build_scene(self, space: Kinematics) -> Scene:
        """The scene of a space under the settings; the last one is kept."""
        if self._built is None or self._built[0] is not space or self._built[1] != self.settings:
            self._built = space, self.settings, build_scene(space, self.make_conditions(space))
        return self._built[2]

    def compute_push(self, space: Kinematics, strength: float) -> float:
        """The force [N] of a push of a strength, which is one for the whole mass at PUSH_SPEED, were it free."""
        metres = self.shown.stage.size * self.shown.mesh.unit
        newtons = PUSH_SPEED * metres * self.build_scene(space).masses.total * FPS / PUSH_FRAMES
        return float(newtons * np.clip(strength, 0.0, MAX_STRENGTH))

    def rehearse(self, space: Kinematics) -> Rehearsal | None:
        """Build the scene and time a frame of it before someone throws the object; None where nothing can move.

        It changes nothing, for `adopt` does that: it may take long and run beside the messages.
        """
        settings, conditions = self.settings, self.make_conditions(space)
        if self.shown.motion is not None or space.size == 0:
            return None
        scene = build_scene(space, conditions)
        return Rehearsal(space, settings, scene, choose_pace(space, scene, conditions))

    def adopt(self, found: Rehearsal) -> None:
        """Take over what a rehearsal of the present space found, as far as it still holds."""
        self.pace = found.pace
        if found.settings == self.settings:
            self._built = found.space, found.settings, found.scene


def choose_settings(space: Kinematics) -> Settings:
    """The first settings: joints hang in gravity; soft objects spring back to rest, and would sag under it."""
    is_springy = space.is_elastic and not space.has_free_base
    return Settings(
        gravity=0.0 if is_springy else EARTH_GRAVITY,
        ground=space.has_free_base,
        free=space.has_free_base,
        stiffness=1.0 if is_springy else 0.0,
        damping=0.5,
    )
