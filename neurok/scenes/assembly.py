"""A scene as MuJoCo has it: each thing's own model attached under its name, free or fastened, its joints as they stand.

A body's pose in the file is the settled one, and `ref` says what value of its joint that is, so that limits keep their
meaning. Joints are held against gravity by friction, as a laptop's hinge is: of each dry friction of HOLD times the
torque of gravity in the scene's pose, at least.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurok.articulate.check.loading import silence_warnings
from neurok.errors import MissingExtra
from neurok.files.bodies import build_bodies
from neurok.files.mjcf.model import MjcfModel
from neurok.files.xmltext import name_freedoms
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.rigid import inverse
from neurok.geometry.rotation import quaternion_from_matrix
from neurok.scenes.gripper import HAND
from neurok.scenes.thing import PlacedThing

TIMESTEP = 0.002  # [s]
HOLD = 1.1  # times the torque of gravity that friction holds a joint against
STIFF_FRICTION = (0.9999, 0.9999, 0.001, 0.5, 2.0)  # MuJoCo's dry friction creeps; so stiff, by a micrometre in seconds
SWING_DAMPING = 0.02  # [N m s/rad] over the mass [kg] of what hangs, so that it comes to rest


@dataclass
class ThingDocument:
    """A thing's own MJCF at zero: text and assets, the bodies' names and frames at zero, the joints' names."""

    text: str
    assets: dict[str, bytes]
    bodies: list[str]
    frames: list[Array]
    joints: dict[tuple[int, str], str]


@dataclass
class Assembler:
    """Makes models of placed things; documents are kept, as they take longer than all the rest."""

    documents: dict[int, tuple[Articulation, ThingDocument]] = field(default_factory=dict)

    def document(self, placed: PlacedThing) -> ThingDocument:
        articulation = placed.thing.articulation
        kept = self.documents.get(id(articulation))
        if kept is None:
            kept = self.documents[id(articulation)] = articulation, write_document(articulation, placed.name)
        return kept[1]

    def compose(
        self,
        placed: Sequence[PlacedThing],
        hung: Sequence[tuple[str, str]] = (),
        friction: dict[str, float] | None = None,
    ) -> tuple[Any, dict[str, bytes]]:
        """The MjSpec of a scene and its assets; hung: (carrier, thing) pairs. friction: of joints by their names."""
        mujoco = import_mujoco()
        spec = mujoco.MjSpec()
        spec.modelname = "scene"
        spec.compiler.degree = False
        spec.compiler.fusestatic = False
        spec.option.timestep = TIMESTEP
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        assets: dict[str, bytes] = {}
        with silence_warnings():
            for each in placed:
                document = self.document(each)
                self._attach(spec, each, document, friction or {})
                assets |= document.assets
        for carrier, thing in hung:
            above, below = (next(each for each in placed if each.name == name) for name in (carrier, thing))
            _tie(spec, above, below, self)
        spec.assets = assets
        return spec, assets

    def _attach(self, spec: Any, placed: PlacedThing, document: ThingDocument, friction: dict[str, float]) -> None:
        import mujoco

        child = mujoco.MjSpec.from_string(document.text, assets=document.assets)
        prefix = f"{placed.name}/"
        frame = spec.worldbody.add_frame(pos=[0, 0, 0], quat=[1, 0, 0, 0])
        root = frame.attach_body(child.worldbody.first_body(), prefix, "")
        if placed.thing.kind == HAND:
            root.mocap = True
            for body in document.bodies:
                spec.body(prefix + body).gravcomp = 1.0
        elif not placed.thing.held:
            root.add_freejoint().name = f"{prefix}free"
        poses = place_bodies(placed, document)
        articulation = placed.thing.articulation
        for index, name in enumerate(document.bodies):
            parent = int(articulation.link_parents[index])
            T = poses[index] if parent < 0 else inverse(poses[parent]) @ poses[index]
            body = spec.body(prefix + name)
            body.pos, body.quat = T[:3, 3], quaternion_from_matrix(T[:3, :3])
        values = read_values(placed, document)
        for name, value in values.items():
            joint = spec.joint(prefix + name)
            joint.ref = value
            joint.solimp_friction, joint.solref_friction = STIFF_FRICTION, (2.0 * TIMESTEP, 1.0)
            joint.frictionloss = max(joint.frictionloss, friction.get(prefix + name, 0.0))
        for equality in spec.equalities:
            first = equality.name1.removeprefix(prefix)
            second = equality.name2.removeprefix(prefix)
            if equality.name1.startswith(prefix) and equality.type == mujoco.mjtEq.mjEQ_JOINT and first in values:
                data = np.array(equality.data)
                data[0] += data[1] * values[second] - values[first]
                equality.data = data


def import_mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("a scene", "scene") from None
    return mujoco


def write_document(articulation: Articulation, name: str) -> ThingDocument:
    """The MJCF of one thing, its files called after it."""
    bodies = build_bodies(articulation, hulls=False, reserved=("world",))
    model = MjcfModel(articulation, None, collide=True, visuals=True)
    stem = "".join(c if c.isalnum() else "_" for c in name)
    for element in model.root.iter():
        if "file" in element.attrib:
            element.set("file", f"{stem}_{element.get('file')}")
    assets = {f"{stem}_{file}": data for file, data in model.assets.items()}
    return ThingDocument(model.text(), assets, [body.name for body in bodies],
                         [body.T_world_body for body in bodies], name_freedoms(articulation))  # fmt: skip


def place_bodies(placed: PlacedThing, document: ThingDocument) -> Array:
    """T_world_body of each of a thing's bodies at its state, [L, 4, 4]."""
    return np.asarray(placed.T @ placed.thing.motions @ np.stack(document.frames))


def read_values(placed: PlacedThing, document: ThingDocument) -> dict[str, float]:
    """The value of each of a thing's joints in MuJoCo, by its name there without the thing's."""
    articulation = placed.thing.articulation
    A, b = articulation.coupling
    theta = A @ placed.thing.state + b
    found, seen = {}, set()
    for value, freedom in zip(theta, articulation.freedoms):
        key = (freedom.joint, "slide" if freedom.joint in seen else "turn")
        seen.add(freedom.joint)
        found[document.joints[key]] = float(value)
        joint = articulation.joints[freedom.joint]
        if joint.kind == "screw":
            found[document.joints[freedom.joint, "slide"]] = float(value) * joint.pitch
    return found


def name_coordinates(placed: PlacedThing, document: ThingDocument) -> list[str]:
    """The joint in MuJoCo that each coordinate of a thing is, with the thing's name, [k]."""
    articulation = placed.thing.articulation
    names = []
    for d in articulation.coordinate_freedoms:
        joint = articulation.freedoms[d].joint
        second = d > 0 and articulation.freedoms[d - 1].joint == joint
        names.append(f"{placed.name}/{document.joints[joint, 'slide' if second else 'turn']}")
    return names


def _tie(spec: Any, carrier: PlacedThing, thing: PlacedThing, maker: Assembler) -> None:
    """Hang a thing by the point of its top over its centre of mass, and let it swing there."""
    import mujoco

    above, below = maker.document(carrier), maker.document(thing)
    root = f"{thing.name}/{below.bodies[int(np.flatnonzero(thing.thing.articulation.parent_joint < 0)[0])]}"
    holder = f"{carrier.name}/{above.bodies[0]}"
    point = np.array([*thing.centre_of_mass[:2], thing.bounds[1, 2]])
    T = place_bodies(carrier, above)[0]
    anchor = (point - T[:3, 3]) @ T[:3, :3]
    tie = spec.add_equality(name=f"{thing.name}/hook", type=mujoco.mjtEq.mjEQ_CONNECT, name1=holder, name2=root,
                            objtype=mujoco.mjtObj.mjOBJ_BODY)  # fmt: skip
    tie.data = [*anchor, *([0.0] * (len(tie.data) - 3))]
    mass = sum(link.inertia.mass for link in thing.thing.articulation.links if link.inertia is not None)
    spec.joint(f"{thing.name}/free").damping = np.full(3, SWING_DAMPING * mass)
    for name in below.bodies:
        spec.add_exclude(bodyname1=holder, bodyname2=f"{thing.name}/{name}")
