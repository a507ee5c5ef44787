"""The tree of an MJCF model: bodies, joints, inertias, hulls, couplings.

A screw or cylindrical joint is a slide and a hinge of one body; a screw's
slide, and whatever a mimic leads, is tied to its leader by an equality
constraint, value = offset + multiplier * leader.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np

from neurok.errors import OutputError
from neurok.files.bodies import build_bodies
from neurok.files.contacts import find_joined_pairs, find_touching_pairs
from neurok.files.mjcf.surfaces import GREY_RGBA, MjcfVisuals, encode_obj
from neurok.files.xmltext import format_number, format_numbers, make_unique_text, name_freedoms, widen_range
from neurok.geometry.articulation import Articulation, Inertia, Joint
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import quaternion_from_matrix

SPIN_FRICTION = 0.005, 0.0001  # MuJoCo's defaults of torsional and rolling friction [m]
MAX_BODY_DEPTH = 400  # bodies inside each other; MuJoCo's XML parser gives up at 500 levels


class MjcfModel:
    """The XML tree of a model while it is built, and its assets."""

    def __init__(
        self,
        articulation: Articulation,
        inertias: Sequence[Inertia] | None,
        *,
        collide: bool,
        visuals: bool,
        limits: bool = True,
        timestep: float = 0.002,
    ) -> None:
        self.articulation, self.limits, self.timestep = articulation, limits, timestep
        self.assets: dict[str, bytes] = {}
        self.bodies = build_bodies(articulation, inertias, hulls=collide, reserved=("world",))
        self.names = name_freedoms(articulation)
        self.root = ET.Element("mujoco", model=make_unique_text([articulation.name])[0])
        self.compiler = ET.SubElement(self.root, "compiler", angle="radian", autolimits="true", fusestatic="false")
        self.option = ET.SubElement(self.root, "option", timestep=format_number(timestep), integrator="implicitfast")
        self.asset = ET.SubElement(self.root, "asset")
        self.paint = MjcfVisuals(self.asset, self.assets, articulation.mesh.materials) if visuals else None
        self._tree()
        self._contacts()
        self._couplings()

    def text(self) -> str:
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _tree(self) -> None:
        world = ET.SubElement(self.root, "worldbody")
        elements: dict[int, ET.Element] = {-1: world}
        depth = {-1: 0}
        for index in self.articulation.order:
            depth[index] = depth[int(self.articulation.link_parents[index])] + 1
            if depth[index] > MAX_BODY_DEPTH:
                raise OutputError(
                    f"a chain of more than {MAX_BODY_DEPTH} links is deeper than MuJoCo reads", "use .urdf"
                )
            body = self.bodies[index]
            parent = elements[int(self.articulation.link_parents[index])]
            T = body.T_parent_body
            placed = {"pos": format_numbers(T[:3, 3]), "quat": format_numbers(quaternion_from_matrix(T[:3, :3]))}
            elements[index] = ET.SubElement(parent, "body", {"name": body.name, **placed})
            if self.articulation.parent_joint[index] < 0 and self.articulation.is_loose(index):
                ET.SubElement(
                    elements[index], "freejoint", name=make_unique_text([*self.names.values(), body.name])[-1]
                )
            self._joints(elements[index], int(self.articulation.parent_joint[index]))
            self._inertial(elements[index], body.inertia)
            if self.paint is not None and body.mesh is not None:
                self.paint.show(elements[index], body)
            for place, hull in enumerate(body.hulls):
                name = f"{body.file}_hull" if len(body.hulls) == 1 else f"{body.file}_hull_{place}"
                self._hull(elements[index], hull, name, body.matter.friction)

    def _joints(self, element: ET.Element, above: int) -> None:
        if above < 0 or self.articulation.joints[above].kind == "fixed":
            return
        joint = self.articulation.joints[above]
        if joint.kind == "screw":
            # Damped and limited through its hinge; the slide only follows.
            self._freedom(element, joint, self.names[above, "slide"], "slide", None, resists=False)
            self._freedom(element, joint, self.names[above, "turn"], "hinge", (joint.lower, joint.upper))
        elif joint.kind == "cylindrical":
            self._freedom(element, joint, self.names[above, "slide"], "slide", joint.slide)
            self._freedom(element, joint, self.names[above, "turn"], "hinge", (joint.lower, joint.upper))
        else:
            limits = (joint.lower, joint.upper) if joint.kind != "continuous" else None
            kind = "slide" if joint.kind == "prismatic" else "hinge"
            self._freedom(element, joint, self.names[above, "turn"], kind, limits)

    def _freedom(
        self,
        element: ET.Element,
        joint: Joint,
        name: str,
        kind: str,
        limits: tuple[float, float] | None,
        *,
        resists: bool = True,
    ) -> None:
        options = {"name": name, "type": kind, "axis": format_numbers(joint.axis)}
        if self.limits and limits is not None and np.isfinite(limits).any():
            lower, upper = np.clip(widen_range(*limits), -1e9, 1e9)
            options["range"] = format_numbers((lower, upper))
        if resists and joint.damping:
            options["damping"] = format_number(joint.damping)
        if resists and joint.friction:
            options["frictionloss"] = format_number(joint.friction)
        if resists and joint.effort is not None and joint.effort > 0:
            options["actuatorfrcrange"] = format_numbers((-joint.effort, joint.effort))
        ET.SubElement(element, "joint", options)

    @staticmethod
    def _inertial(element: ET.Element, inertia: Inertia) -> None:
        I = inertia.tensor
        tensor = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        ET.SubElement(
            element,
            "inertial",
            pos=format_numbers(inertia.centre),
            mass=format_number(inertia.mass),
            fullinertia=format_numbers(tensor),
        )

    def _hull(self, element: ET.Element, hull: Mesh, name: str, friction: float | None) -> None:
        self.assets[f"{name}.obj"] = encode_obj(hull.vertices, hull.faces)
        ET.SubElement(self.asset, "mesh", name=name, file=f"{name}.obj")
        # Group 3 is hidden in MuJoCo's viewer; a hull without a visual beside it should be seen.
        group = "3" if self.paint is not None else "0"
        # Of two geoms MuJoCo takes the greater friction, and its default is 1, unless one has priority.
        rubs = {} if friction is None else {"friction": format_numbers((friction, *SPIN_FRICTION)), "priority": "1"}
        ET.SubElement(element, "geom", {"type": "mesh", "mesh": name, "group": group, **rubs},
                      rgba=format_numbers(GREY_RGBA))  # fmt: skip

    def _contacts(self) -> None:
        pairs = find_joined_pairs(self.articulation, self.bodies) | find_touching_pairs(self.articulation, self.bodies)
        if pairs:
            contact = ET.SubElement(self.root, "contact")
            for a, b in sorted(pairs):
                ET.SubElement(contact, "exclude", body1=self.bodies[a].name, body2=self.bodies[b].name)

    def _couplings(self) -> None:
        ties = []
        for index, joint in enumerate(self.articulation.joints):
            if joint.mimic is not None and joint.kind != "fixed":
                leader = self.names[joint.mimic.joint, "turn"]
                followers = ["turn", "slide"] if joint.kind == "cylindrical" else ["turn"]
                coefficients = (joint.mimic.offset, joint.mimic.multiplier)
                ties += [(self.names[index, which], leader, coefficients) for which in followers]
            if joint.kind == "screw":
                ties.append((self.names[index, "slide"], self.names[index, "turn"], (0.0, joint.pitch)))
        if not ties:
            return
        equality = ET.SubElement(self.root, "equality")
        for follower, leader, coefficients in ties:
            ET.SubElement(
                equality, "joint", joint1=follower, joint2=leader, polycoef=format_numbers((*coefficients, 0, 0, 0)),
                # As stiff as the step allows: a coupling is geometry, not a spring.
                solref=format_numbers((2 * self.timestep, 1)), solimp="0.999 0.9999 0.0001 0.5 2",
            )  # fmt: skip
