"""Joints that go together: limits that all of them keep, and a check that pushes the leader and watches the rest."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.articulate.couplings import unify_limits
from neurok.articulate.physics import add_physics
from neurok.errors import InputError
from neurok.files.bodies import build_bodies
from neurok.files.contacts import find_passing_pairs
from neurok.files.registry import save
from neurok.geometry.articulation import Articulation, Mimic
from tests.files.machines import Joint, assemble, every_kind, place, unit

LEADER, SECOND, THIRD = 0, 1, 2


def _train(*, leader=(-1.0, 2.0), second=(-1.0, 1.0), third=(-0.2, 0.5), first="revolute") -> Articulation:
    """Three arms on a post, far apart; the second goes 0.5 - 2 q, the third slides by 0.1 + 0.25 of that."""
    joints = (
        Joint("leader", first, 0, 1, place((0, 0, 1)), unit(0, 0, 1), *leader),
        Joint("second", "revolute", 0, 2, place((0, 3, 1)), unit(1, 0, 0), *second, mimic=Mimic(LEADER, -2.0, 0.5)),
        Joint("third", "prismatic", 0, 3, place((0, -3, 1)), unit(0, 1, 0), *third, mimic=Mimic(SECOND, 0.25, 0.1)),
        Joint("alone", "revolute", 0, 4, place((0, 6, 1)), unit(0, 0, 1), -3.0, 0.3),
    )
    sizes = [(0.1, 0.1, 0.1)] + [(0.4, 0.2, 0.1)] * 4
    return assemble(("post", "a", "b", "c", "d"), joints, sizes, name="train")


def _values(q: np.ndarray) -> np.ndarray:
    """Of the three joints by the definition, [3, n]."""
    second = 0.5 - 2.0 * q
    return np.stack([q, second, 0.1 + 0.25 * second])


def _limits(thing: Articulation, count: int = 3) -> np.ndarray:
    return np.array([(joint.lower, joint.upper) for joint in thing.joints[:count]])


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"second": (-9.0, 9.0)},
        {"second": (-9.0, 9.0), "third": (-9.0, 9.0)},
        {"leader": (-np.inf, np.inf)},
        {"leader": (-np.inf, 0.1)},
        {"leader": (-np.inf, np.inf), "second": (-np.inf, 0.5), "third": (-0.3, np.inf)},
    ],
)
def test_a_state_is_within_the_new_limits_exactly_when_it_is_within_all_old_ones(limits):
    old = _train(**limits)
    new = unify_limits(old)
    q = np.linspace(-12, 12, 4801)
    within = [
        np.all((_values(q).T >= _limits(thing)[:, 0] - 1e-9) & (_values(q).T <= _limits(thing)[:, 1] + 1e-9), axis=1)
        for thing in (old, new)
    ]
    assert within[0].any() and np.array_equal(*within)
    # and every joint's limits are where the leader's take it
    ends = _values(_limits(new)[LEADER])
    assert np.allclose(np.sort(ends, axis=1), _limits(new))


def test_joints_that_go_alone_stay_as_they_are():
    assert _limits(unify_limits(_train()), 4)[3].tolist() == [-3.0, 0.3]
    free = replace(_train(), joints=tuple(replace(joint, mimic=None) for joint in _train().joints))
    assert np.array_equal(_limits(unify_limits(free), 4), _limits(free, 4))


def test_a_wheel_whose_follower_stops_stops_too():
    new = unify_limits(_train(first="continuous", leader=(-np.inf, np.inf)))
    assert new.joints[LEADER].kind == "revolute"
    assert _limits(new)[LEADER] == pytest.approx([-0.25, 0.75])


def test_limits_without_a_common_state_are_a_sentence():
    with pytest.raises(InputError, match="'leader' and those that follow it have no state"):
        unify_limits(_train(second=(5.0, 6.0)))


def test_the_slide_of_a_two_freedom_joint_keeps_its_own_limits():
    new = unify_limits(every_kind())
    assert new.joints[7].slide == (-0.3, -0.1) and new.joints[4].upper == 9.0


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_what_follows_resists_where_it_is_led(unit):
    """At rates u = (1, -2, -0.5) the leader is damped by sum u^2 d and rubbed by sum |u| f, in metres."""
    thing = _train()
    thing = replace(thing, mesh=replace(thing.mesh, unit=unit))
    free = replace(thing, joints=tuple(replace(joint, mimic=None) for joint in thing.joints))
    alone = np.array([(joint.damping, joint.friction) for joint in add_physics(free).joints])
    led = np.array([(joint.damping, joint.friction) for joint in add_physics(thing).joints])
    u = np.array([1.0, 2.0, 0.5 * unit])
    assert led[LEADER] == pytest.approx([u**2 @ alone[:3, 0], u @ alone[:3, 1]])
    assert not led[[SECOND, THIRD]].any() and np.array_equal(led[3], alone[3])


# ---------------------------------------------------------------- the check


def _faults(thing: Articulation, folder, suffix="xml") -> list[str]:
    pytest.importorskip("mujoco")
    from neurok.articulate.check import check_file

    return check_file(save(add_physics(thing), folder / f"train.{suffix}")).faults


def test_a_follower_that_stops_before_its_limit_is_found(tmp_path):
    """By the definition the leader at -1 and 2 takes the second to 2.5 and -3.5: wider limits are never reached."""
    wide = _train(second=(-3.5, 4.0), third=(-9.0, 9.0))
    faults = _faults(wide, tmp_path)
    assert any("led by 'leader', 'second' stops at 2.5" in fault and "limit 4" in fault for fault in faults), faults
    assert any("'third'" in fault for fault in faults)


def test_a_leader_that_its_follower_holds_back_is_found(tmp_path):
    faults = _faults(_train(third=(-9.0, 9.0)), tmp_path)
    assert any(fault.startswith("'leader' stops at -0.25") for fault in faults), faults


@pytest.mark.parametrize("suffix", ["xml", "urdf"])
@pytest.mark.parametrize("first", ["revolute", "continuous"])
def test_common_limits_are_all_reached(tmp_path, suffix, first):
    limits = {"leader": (-np.inf, np.inf)} if first == "continuous" else {}
    assert _faults(unify_limits(_train(first=first, **limits)), tmp_path, suffix) == []


def test_a_heavy_follower_is_pushed_hard_enough(tmp_path):
    """A thousand times the leader's mass, at four times its speed."""
    joints = (
        Joint("light", "revolute", 0, 1, place((0, 0, 1)), unit(0, 0, 1), -0.5, 0.5),
        Joint("heavy", "revolute", 0, 2, place((0, 5, 1)), unit(0, 0, 1), -2.0, 2.0, mimic=Mimic(0, 4.0)),
    )
    thing = assemble(("post", "a", "b"), joints, [(0.1, 0.1, 0.1), (0.2, 0.2, 0.1), (2.0, 2.0, 1.0)], name="heavy")
    assert _faults(thing, tmp_path) == []


def test_an_open_leader_is_pushed_to_its_followers_limits(tmp_path):
    """Upwards the leader is free, and its follower comes to its lower limit there, unless the third stops it."""
    assert _faults(_train(leader=(-0.25, np.inf), third=(-0.15, 0.35)), tmp_path) == []
    faults = _faults(_train(leader=(-0.25, np.inf), third=(0.0, 0.35)), tmp_path)
    assert any("'second' stops at" in fault and "limit -1" in fault for fault in faults), faults


# ---------------------------------------------------------------- contacts


@pytest.mark.parametrize(("way", "coupled", "meet"), [(0.15, True, True), (0.09, True, False), (0.15, False, False)])
def test_jaws_that_close_together_meet(way, coupled, meet):
    """Two jaws, 0.2 apart, go towards each other: together they meet from 0.1 each on, one by one not before 0.2."""
    joints = (
        Joint("left", "prismatic", 0, 1, place((-0.2, 0, 1)), unit(1, 0, 0), 0.0, way),
        Joint("right", "prismatic", 0, 2, place((0.2, 0, 1)), unit(1, 0, 0), -way, 0.0,
              mimic=Mimic(0, -1.0) if coupled else None),
    )  # fmt: skip
    vice = assemble(("bed", "a", "b"), joints, [(1, 0.1, 0.1), (0.2, 0.2, 0.2), (0.2, 0.2, 0.2)], name="vice")
    assert ((1, 2) in find_passing_pairs(vice, build_bodies(vice))) == meet
