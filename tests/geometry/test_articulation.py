"""Articulation: screws from frames, paths, couplings, and trees that are none."""

import numpy as np
import pytest

from neurok.errors import InputError, OptionError
from neurok.geometry import rigid
from neurok.geometry.articulation import Articulation, Joint, Link, Mimic
from neurok.geometry.mesh import Mesh

Z = np.array([0.0, 0.0, 1.0])


def motion(seed):
    return rigid.exp_twist(np.random.default_rng(seed).normal(size=6))


def build(*joints, links=None):
    """Links at the places their joints put them; joints given as (kind, parent, child, options)."""
    count = links or 1 + max((max(j[1], j[2]) for j in joints), default=0)
    made = [
        Joint(f"j{i}", kind, parent, child, **{"origin": motion(i), "axis": Z, **options})
        for i, (kind, parent, child, options) in enumerate(joints)
    ]
    T = {0: motion(99)}
    for _ in made:
        T |= {j.child: T[j.parent] @ j.origin for j in made if j.parent in T}
    frames = [Link(f"link {i}", T.get(i, np.eye(4))) for i in range(count)]
    return Articulation(Mesh(np.zeros((count, 3)), []), np.arange(count), tuple(frames), tuple(made))


def chain_pose(articulation, values):
    """World pose of every link by walking the joints' own frames: the definition, not the screws."""
    T = {i: l.T_world_link for i, l in enumerate(articulation.links) if articulation.parent_joint[i] < 0}
    value = iter(values)
    moves = []
    for joint in articulation.joints:
        step = np.eye(4)
        if joint.kind in ("revolute", "continuous"):
            step[:3, :3] = rigid.rotation(next(value) * joint.axis)
        elif joint.kind == "prismatic":
            step[:3, 3] = next(value) * joint.axis
        elif joint.kind == "screw":
            angle = next(value)
            step[:3, :3], step[:3, 3] = rigid.rotation(angle * joint.axis), joint.pitch * angle * joint.axis
        elif joint.kind == "cylindrical":
            step[:3, :3], step[:3, 3] = rigid.rotation(next(value) * joint.axis), next(value) * joint.axis
        moves.append(step)
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above >= 0:
            joint = articulation.joints[above]
            T[link] = T[joint.parent] @ joint.origin @ moves[above]
    return np.stack([T[i] for i in range(len(articulation.links))])


def test_product_of_exponentials_equals_walking_the_frames():
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    robot = build(
        ("revolute", 0, 1, {"axis": axis}),
        ("prismatic", 1, 2, {"axis": axis}),
        ("fixed", 2, 3, {"axis": np.zeros(3)}),
        ("screw", 3, 4, {"axis": axis, "pitch": 0.3}),
        ("cylindrical", 1, 5, {"axis": axis}),
        ("continuous", 5, 6, {}),
    )
    theta = np.random.default_rng(0).normal(size=len(robot.freedoms))
    assert len(theta) == 6
    expected = chain_pose(robot, theta)
    for link in range(7):
        X = np.eye(4)
        for d in np.flatnonzero(robot.path[link]):
            X = X @ rigid.exp_twist(robot.freedoms[d].screw * theta[d])
        np.testing.assert_allclose(X @ robot.links[link].T_world_link, expected[link], rtol=0, atol=1e-12)


def test_path_holds_exactly_the_freedoms_above():
    robot = build(
        ("revolute", 0, 1, {}), ("fixed", 1, 2, {}), ("cylindrical", 2, 3, {}), ("prismatic", 0, 4, {}), links=6
    )
    on_path = [set(np.flatnonzero(row)) for row in robot.path]
    assert on_path == [set(), {0}, {0}, {0, 1, 2}, {3}, set()]
    np.testing.assert_array_equal(robot.link_parents, [-1, 0, 1, 2, 0, -1])
    place = {link: i for i, link in enumerate(robot.order)}
    assert sorted(place) == list(range(6))
    assert all(place[j.parent] < place[j.child] for j in robot.joints)


def test_children_may_be_listed_before_their_parents():
    robot = build(("revolute", 1, 2, {}), ("revolute", 0, 1, {}))
    assert [set(np.flatnonzero(row)) for row in robot.path] == [set(), {1}, {0, 1}]


def test_limits_and_names_of_freedoms():
    robot = build(
        ("revolute", 0, 1, {"lower": -1.0, "upper": 2.0}),
        ("continuous", 1, 2, {"lower": -1.0, "upper": 2.0}),
        ("cylindrical", 2, 3, {"lower": -0.5, "upper": 0.5, "slide": (0.0, 0.1)}),
    )
    assert [(f.lower, f.upper, f.turns) for f in robot.freedoms] == [
        (-1.0, 2.0, True),
        (-np.inf, np.inf, True),
        (-0.5, 0.5, True),
        (0.0, 0.1, False),
    ]
    assert robot.coordinate_names == ["j0", "j1", "j2", "j2 slide"]


def test_coupling_follows_chains_of_mimics():
    robot = build(
        ("revolute", 0, 1, {"mimic": Mimic(1, 2.0, 0.5)}),
        ("revolute", 1, 2, {"mimic": Mimic(2, -3.0, 0.25)}),
        ("revolute", 2, 3, {}),
        ("prismatic", 3, 4, {}),
    )
    A, b = robot.coupling
    assert robot.coordinate_freedoms == [2, 3] and robot.coordinate_names == ["j2", "j3"]
    q = np.array([0.7, -0.2])
    third = q[0]
    second = -3.0 * third + 0.25
    np.testing.assert_allclose(A @ q + b, [2.0 * second + 0.5, second, third, q[1]], rtol=0, atol=1e-15)


@pytest.mark.parametrize("mimics", [(0, None), (1, 0), (2, None)], ids=["itself", "each other", "a fixed joint"])
def test_a_mimic_that_leads_nowhere_is_refused(mimics):
    first, second = ({} if m is None else {"mimic": Mimic(m)} for m in mimics)
    with pytest.raises(InputError, match="leads nowhere"):
        build(("revolute", 0, 1, first), ("revolute", 1, 2, second), ("fixed", 2, 3, {}))


@pytest.mark.parametrize(
    "joints, word",
    [
        ([("revolute", 1, 2, {}), ("revolute", 2, 1, {})], "cycle through link 'link 1'"),
        ([("revolute", 1, 1, {})], "cycle"),
        ([("revolute", 0, 2, {}), ("revolute", 1, 2, {})], "two parents"),
        ([("revolute", 0, 1, {"axis": np.array([0.0, 0.0, 2.0])})], "axis of joint 'j0' has length 2"),
        ([("prismatic", 0, 1, {"axis": np.zeros(3)})], "length 0"),
        ([("prismatic", 0, 1, {"axis": np.full(3, np.nan)})], "length nan"),
    ],
)
def test_what_is_no_tree_of_joints_is_refused(joints, word):
    with pytest.raises(InputError, match=word):
        build(*joints)


def test_unknown_joint_kinds_name_the_known_ones():
    with pytest.raises(OptionError, match="'ball'; use one of: .*cylindrical.*screw"):
        build(("ball", 0, 1, {}))


def test_every_vertex_needs_a_link():
    with pytest.raises(InputError, match="one link per vertex"):
        Articulation(Mesh(np.zeros((2, 3)), []), np.zeros(3, dtype=int), (Link("a", np.eye(4)),), ())
