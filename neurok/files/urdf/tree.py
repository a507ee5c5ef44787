"""The records' joints as a tree: which link hangs on which, where each stands, and which pairs of joints are one.

URDF has neither screws nor cylindrical joints. They are written as a
prismatic joint, a helper link without geometry, and a turning joint about
the same direction; the slide s of a screw follows its angle by a mimic,
s = pitch * angle. `fold_pairs` finds such pairs and makes them one joint again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurok.errors import InputError
from neurok.files.urdf.document import UrdfDocument, UrdfJoint, UrdfLink
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Joint, Link, Mimic

# A helper link's own mass, relative to the link it carries, below which it is only there to satisfy simulators.
NEGLIGIBLE_MASS = 1e-3


@dataclass(frozen=True)
class FoldedPair:
    """A record that stands for a pair: `turn` kept, its slide and helper gone. kind: screw or cylindrical."""

    turn: UrdfJoint
    slide: UrdfJoint
    helper: str
    joint: UrdfJoint  # the pair as one: kind still the turn's, origin from the pair's parent
    kind: str
    pitch: float = 0.0
    slide_limits: tuple[float, float] = (-np.inf, np.inf)


def build_tree(document: UrdfDocument, file: str) -> tuple[list[UrdfLink], tuple[Link, ...], tuple[Joint, ...]]:
    """The links that remain (their records and frames, in the file's order) and the joints between them."""
    _check_ends(document, file)
    order = _order_links(document, file)
    pairs = {pair.turn.name: pair for pair in fold_pairs(document)}
    gone = {pair.helper for pair in pairs.values()}
    absorbed = {pair.slide.name for pair in pairs.values()}
    frames = _compute_frames(document, order)
    records = [link for link in document.links if link.name not in gone]
    links = tuple(Link(r.name, frames[r.name], r.inertia) for r in records)
    place = {record.name: index for index, record in enumerate(records)}
    kept = [j for j in document.joints if j.name not in absorbed]
    number = {joint.name: index for index, joint in enumerate(kept)}
    joints = tuple(_make_joint(record, pairs.get(record.name), place, number) for record in kept)
    for pair in pairs.values():
        document.notes.append(
            f"joints '{pair.slide.name}' and '{pair.turn.name}' share an axis and are read as one {pair.kind} joint"
        )
    return records, links, joints


def _make_joint(
    record: UrdfJoint, pair: FoldedPair | None, place: Mapping[str, int], number: Mapping[str, int]
) -> Joint:
    whole = pair.joint if pair else record
    mimic = None
    if whole.mimic is not None:
        mimic = Mimic(number[whole.mimic[0]], whole.mimic[1], whole.mimic[2])
    return Joint(
        name=whole.name, kind=pair.kind if pair else whole.kind, parent=place[whole.parent], child=place[whole.child],
        origin=whole.origin, axis=whole.axis, lower=whole.lower, upper=whole.upper,
        pitch=pair.pitch if pair else 0.0, slide=pair.slide_limits if pair else (-np.inf, np.inf), mimic=mimic,
        damping=whole.damping, friction=whole.friction, effort=whole.effort, velocity=whole.velocity,
    )  # fmt: skip


def _check_ends(document: UrdfDocument, file: str) -> None:
    links = {link.name for link in document.links}
    joints = {joint.name for joint in document.joints}
    above: dict[str, str] = {}
    for joint in document.joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                raise InputError(
                    f"joint '{joint.name}' in {file} has the {end} '{name}', which is no link",
                    "name a link of the file",
                )
        if joint.child in above:
            raise InputError(
                f"link '{joint.child}' in {file} has two parents, by joints '{above[joint.child]}' and '{joint.name}'",
                "a tree of joints is needed: remove one of them",
            )
        above[joint.child] = joint.name
        if joint.mimic is not None and joint.mimic[0] not in joints:
            raise InputError(
                f"joint '{joint.name}' in {file} mimics '{joint.mimic[0]}', which is no joint",
                "name a joint of the file",
            )


def _order_links(document: UrdfDocument, file: str) -> list[UrdfJoint]:
    """The joints, those nearer to the root first; an error where they are not one tree."""
    below: dict[str, list[UrdfJoint]] = {}
    for joint in document.joints:
        below.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in document.joints}
    roots = [link.name for link in document.links if link.name not in children]
    order: list[UrdfJoint] = []
    for root in roots:
        order += below.get(root, [])
    for joint in order:  # grows while it is walked
        order += below.get(joint.child, [])
    if len(order) < len(document.joints):
        walked = {joint.name for joint in order}
        stuck = next(joint.child for joint in document.joints if joint.name not in walked)
        raise InputError(f"the joints of {file} form a cycle through link '{stuck}'", "a tree of joints is needed")
    if len(roots) > 1:
        raise InputError(
            f"{file} has {len(roots)} links without a parent ('{roots[0]}', '{roots[1]}', ...)",
            "join them with fixed joints",
        )
    return order


def _compute_frames(document: UrdfDocument, order: Sequence[UrdfJoint]) -> dict[str, Array]:
    """T_world_link of every link at zero joint values, [4, 4]; the root's is the identity."""
    children = {joint.child for joint in document.joints}
    frames: dict[str, Array] = {link.name: np.eye(4) for link in document.links if link.name not in children}
    for joint in order:
        frames[joint.child] = frames[joint.parent] @ joint.origin
        if not np.isfinite(frames[joint.child]).all() or np.abs(frames[joint.child]).max() > 1e12:
            raise InputError(f"link '{joint.child}' lies immeasurably far away", "check the joint origins")
    return frames


def fold_pairs(document: UrdfDocument) -> list[FoldedPair]:
    """The pairs of joints that are one screw or one cylindrical joint; only where nothing is lost by it."""
    records = {link.name: link for link in document.links}
    below: dict[str, list[UrdfJoint]] = {}
    followers: dict[str, list[UrdfJoint]] = {}
    for joint in document.joints:
        below.setdefault(joint.parent, []).append(joint)
        if joint.mimic is not None:
            followers.setdefault(joint.mimic[0], []).append(joint)
    found = []
    taken: set[str] = set()
    for first in document.joints:
        second = below.get(first.child, [])
        if len(second) != 1 or first.name in taken or not _is_bare(records[first.child], records[second[0].child]):
            continue
        pair = _find_pair(first, second[0], followers)
        if pair is not None:
            found.append(pair)
            taken |= {pair.turn.name, pair.slide.name}
    return found


def _is_bare(helper: UrdfLink, carried: UrdfLink) -> bool:
    """Whether a link is a mere helper: no shape, and no mass to speak of."""
    if helper.visuals or helper.collisions:
        return False
    carried_mass = carried.inertia.mass if carried.inertia else np.inf
    return helper.inertia is None or helper.inertia.mass <= NEGLIGIBLE_MASS * carried_mass


def _find_pair(first: UrdfJoint, second: UrdfJoint, followers: Mapping[str, list[UrdfJoint]]) -> FoldedPair | None:
    turning = ("revolute", "continuous")
    if first.kind == "prismatic" and second.kind in turning:
        slide, turn = first, second
    elif first.kind in turning and second.kind == "prismatic":
        slide, turn = second, first
    else:
        return None
    # Both axes in the frame of the second joint.
    a, b = second.origin[:3, :3].T @ first.axis, second.axis
    shift = second.origin[:3, :3].T @ second.origin[:3, 3]
    off_axis = turn is first and np.linalg.norm(np.cross(b, shift)) > 1e-9
    if np.linalg.norm(np.cross(a, b)) > 1e-6 or off_axis:
        return None
    sign = 1.0 if a @ b > 0 else -1.0
    if any(follower is not turn for follower in followers.get(slide.name, [])):
        return None  # another joint follows the slide, which would have no name any more
    axis = b if turn is second else sign * b  # the turn's own, so that its angle keeps its sense
    whole = replace(turn, parent=first.parent, child=second.child, origin=first.origin @ second.origin, axis=axis)
    return _fold_screw(turn, slide, whole, sign, first.child) or _fold_cylinder(turn, slide, whole, sign, first.child)


def _fold_screw(turn: UrdfJoint, slide: UrdfJoint, whole: UrdfJoint, sign: float, helper: str) -> FoldedPair | None:
    """The pair as a screw, s = pitch * angle, where one of the two follows the other without an offset."""
    if slide.mimic is not None and slide.mimic[0] == turn.name and slide.mimic[2] == 0.0:
        rate = slide.mimic[1]
    elif turn.mimic is not None and turn.mimic[0] == slide.name and turn.mimic[2] == 0.0 and slide.mimic is None:
        rate = 1.0 / turn.mimic[1] if turn.mimic[1] else np.inf
        whole = replace(whole, mimic=None)
    else:
        return None
    if rate == 0.0 or not np.isfinite(rate):
        return None
    bounds = sorted((slide.lower / rate, slide.upper / rate))
    lower, upper = max(turn.lower, bounds[0]), min(turn.upper, bounds[1])
    if lower > upper:
        return None
    joint = replace(
        whole, lower=lower, upper=upper,
        damping=turn.damping + rate**2 * slide.damping, friction=turn.friction + abs(rate) * slide.friction,
    )  # fmt: skip
    return FoldedPair(turn, slide, helper, joint, "screw", pitch=sign * rate)


def _fold_cylinder(turn: UrdfJoint, slide: UrdfJoint, whole: UrdfJoint, sign: float, helper: str) -> FoldedPair | None:
    """The pair as a cylindrical joint, where the two are alike in all that such a joint has only once."""
    own = (turn.damping, turn.friction, turn.effort, turn.velocity, turn.mimic)
    if own != (slide.damping, slide.friction, slide.effort, slide.velocity, slide.mimic):
        return None
    limits = (slide.lower, slide.upper) if sign > 0 else (-slide.upper, -slide.lower)
    return FoldedPair(turn, slide, helper, whole, "cylindrical", slide_limits=limits)
