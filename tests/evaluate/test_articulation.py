"""The articulation table: its metrics by hand, its truths from files and from stored states, its command."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

from neurok.articulate.assemble import Movement
from neurok.articulate.network import ArticulationNetwork, ArticulationSize
from neurok.articulate.part_features import PART_FEATURES
from neurok.articulate.parts import read_link_parts
from neurok.articulate.weights import save_networks
from neurok.data import procedural
from neurok.data.sample import Facts, sample_from_motion
from neurok.evaluate.articulation import match_parts, measure_errors
from neurok.evaluate.joint_tables import average_types
from neurok.evaluate.predictors import PREDICTORS, StudiedShape, choose_predictors, list_available, predict_nearest_edge
from neurok.evaluate.truths import Truth, infer_truths, make_truth
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.proposals.candidate_features import CANDIDATE_FEATURES
from neurok.proposals.sampling import sample_shape


def _two_boxes() -> tuple[Mesh, Parts]:
    T = np.eye(4)
    T[:3, 3] = 0.0, 0.0, 0.75
    mesh = merge([box(), transform(box(1.0, 1.0, 0.5), T)])
    return Mesh(mesh.vertices, mesh.faces, up="z"), Parts(np.repeat([0, 1], 12), ("body", "lid"))


def test_errors_are_those_of_a_hinge_moved_by_hand():
    mesh, parts = _two_boxes()
    whole = sample_shape(mesh, parts)
    true = Truth("revolute", np.array([1.0, 0, 0]), np.array([0.3, 0.5, 0.5]), np.pi / 2)
    turn = np.radians(20.0)
    axis = np.array([-np.cos(turn), np.sin(turn), 0.0])  # undirected, 20 degrees off
    pivot = whole.frame.points(np.array([[5.0, 0.5, 0.5 + 0.15]]))[0]  # 0.15 from the true line, wherever along it
    found = measure_errors(whole, true, Movement.moving("revolute", axis, pivot, 0.0, np.pi / 4, centre=pivot))
    assert found["axis_error"] == pytest.approx(20.0)
    assert found["centre_error_diagonal"] == pytest.approx(0.15 / mesh.diagonal)
    assert found["range_error"] == pytest.approx(0.5)
    # Radius 1 about the centroid: a little less than two such radii are a diagonal here.
    assert 1.5 < found["centre_error"] / found["centre_error_diagonal"] < 2.2


def test_no_axis_counts_ninety_degrees_and_a_fixed_part_nothing():
    mesh, parts = _two_boxes()
    whole = sample_shape(mesh, parts)
    true = Truth("prismatic", np.array([0, 0, 1.0]), np.zeros(3), 0.5)
    assert measure_errors(whole, true, Movement.fixed())["axis_error"] == 90.0
    assert set(measure_errors(whole, Truth("fixed"), Movement.fixed()).values()) == {None}


def test_precision_and_recall_by_hand():
    counts = np.array([[8.0, 2.0, 0.0], [1.0, 3.0, 0.0], [1.0, 0.0, 1.0]])
    found = average_types(counts)
    assert found["precision_macro"] == pytest.approx(np.mean([8 / 10, 3 / 5, 1.0]))
    assert found["recall_macro"] == pytest.approx(np.mean([8 / 10, 3 / 4, 1 / 2]))
    assert found["micro"] == pytest.approx(12 / 16)


def test_found_parts_match_only_what_they_cover():
    mesh, parts = _two_boxes()
    assert match_parts(mesh, parts, Parts(1 - parts.face, ("lid", "body"))).tolist() == [1, 0]
    assert match_parts(mesh, parts, Parts(np.zeros(24, dtype=int), ("all",))).tolist() == [0, -1]


def test_the_baseline_turns_about_the_edge_at_the_rest():
    mesh, parts = _two_boxes()
    body, lid = predict_nearest_edge(StudiedShape(sample_shape(mesh, parts)))
    assert body.kind == "fixed" and lid.kind == "revolute"
    assert sample_shape(mesh, parts).frame.file_points(lid.pivot)[2] == pytest.approx(0.5)  # where the boxes meet


@pytest.mark.parametrize("category", ["drawer_cabinet", "laptop"])
def test_stored_states_tell_the_joints_that_made_them(category):
    thing = procedural.make(category, 3)
    states = thing.states(12, np.random.default_rng(0))
    sample = sample_from_motion(Facts("x", "test", "", category, "x", up=thing.mesh.up), thing.motion(states))
    _, parts, truths = infer_truths(sample)
    assert parts.count == len(thing.articulation.links)
    wanted = [make_truth(thing.articulation, joint) for joint in thing.articulation.joints]
    moving = [each for each in truths if each.kind != "fixed"]
    assert len(moving) == len(wanted)
    for each in moving:
        gaps = []
        for want in wanted:
            arm = each.point - want.point
            off = 0.0 if want.kind == "prismatic" else np.linalg.norm(arm - (arm @ want.axis) * want.axis)
            gaps.append(off + 1.0 - abs(each.axis @ want.axis) + (each.kind != want.kind))
        assert min(gaps) < 1e-3


def test_link_parts_and_their_truths_agree_with_the_file():
    thing = procedural.make("safe", 2).articulation
    parts, above = read_link_parts(thing)
    for name, joint in zip(parts.names, above):
        if joint >= 0:
            assert thing.links[thing.joints[joint].child].name == name


def test_weights_made_without_a_category_are_measured_on_it_alone(tmp_path):
    for name, without in (("a", ["Door"]), ("b", ["Safe", "Box"]), ("mine", [])):
        torch.manual_seed(0)
        network = ArticulationNetwork(ArticulationSize(16, 4, 1, len(CANDIDATE_FEATURES), len(PART_FEATURES)))
        save_networks(tmp_path / name, [network], {"without": without})
    folders = tuple(str(tmp_path / name) for name in ("a", "b", "mine"))
    found = choose_predictors("Safe", ("search",), folders)
    assert set(found) == {"search", "network-unseen", "both-unseen", "network-mine", "both-mine"}
    assert found["both-unseen"].networks == tmp_path / "b"
    assert PREDICTORS["search"].networks is None


def test_the_command_on_real_objects(shared_data, tmp_path):
    run = [sys.executable, "-m", "neurok.commands.main", "evaluate", "articulation", "--data"]
    options = [str(shared_data / "partnet_mobility"), "--limit", "2", "--json", "-o", str(tmp_path / "report")]
    done = subprocess.run([*run, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = {(row["parts"], row["predictor"]): row for row in found["rows"] if row["group"] == "all"}
    wanted = {(p, m) for p in ("given", "found") for m in list_available()}
    assert set(rows) == wanted - {("given", "proposals")}, "nothing is proposed for parts that are given"
    assert {"search", "network", "both", "network-plain", "both-plain", "edge", "majority"} <= set(list_available())
    search = rows["given", "search"]
    assert search["axis_error"]["mean"] <= rows["given", "edge"]["axis_error"]["mean"]
    assert (tmp_path / "report" / "report.md").read_text().startswith("# Articulation")
