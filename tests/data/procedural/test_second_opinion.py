"""One object of every category by other means than its own check, and those means by bodies of known size."""

import os
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("manifold3d")

from benchmarks import check_procedural
from benchmarks.check_procedural import Verdict, digest, judge, judge_shape, name_twins, report, standard_error
from benchmarks.solids import Solids
from neurok.data import procedural
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, rod, tube


@pytest.mark.parametrize("category", procedural.list_categories())
def test_an_object_of_every_category_stands_the_trial(category, monkeypatch):
    monkeypatch.setattr(check_procedural, "STATES", 6)
    monkeypatch.setattr(check_procedural, "SOFT_STATES", 3)
    verdict = judge(category, 31)
    assert verdict.faults == []
    assert verdict.loaded == verdict.jointed and len(verdict.digest) == 64


@pytest.fixture
def kit():
    return Kit("thing", np.random.default_rng(0))


def _blocks(kit, *, slide=0.5):
    """A block of 0.2 x 0.4 x 1 m beside a cube of one metre, 0.1 m apart; it slides towards the cube."""
    kit.link("cube", paint(kit.material("wood"), block((1, 1, 1), round=0.0)))
    kit.link("bar", paint(kit.material("wood"), block((0.2, 0.4, 1.0), (0.7, 0, 0), round=0.0)))
    kit.slide("cube", "bar", axis="-x", upper=slide)
    return kit.build()


def test_the_thickness_of_an_overlap_is_that_of_the_box_it_is(kit):
    thing = _blocks(kit)
    for way in (0.15, 0.25):
        deep = way - 0.1
        box = np.array([deep, 0.4, 1.0])
        surface = 2 * (box[0] * box[1] + box[1] * box[2] + box[2] * box[0])
        found = Solids.of(thing).overlaps(np.array([[way]]))[0, 1]
        assert found == pytest.approx(2 * box.prod() / surface / thing.mesh.diagonal, rel=1e-6)
    assert Solids.of(thing).overlaps(np.array([[0.05]])) == {}


def test_gaps_are_measured_as_far_as_asked(kit):
    solids = Solids.of(_blocks(kit))
    diagonal = solids.thing.mesh.diagonal
    for way, gap in ((0.0, 0.1), (0.06, 0.04), (0.2, 0.0)):
        assert solids.gaps(np.array([[way]]), 1.0)[0, 1] == pytest.approx(gap / diagonal, abs=1e-9)
    assert solids.gaps(np.array([[0.0]]), 0.05 / diagonal)[0, 1] == pytest.approx(0.05 / diagonal)


def test_what_joined_links_share_at_rest_is_theirs_wherever_they_take_it(kit):
    kit.link("post", paint(kit.material("wood"), rod((0, 0, 0), (0, 0, 1), 0.1, sides=48)))
    kit.link("arm", paint(kit.material("wood"), block((0.6, 0.04, 0.2), (0.35, 0, 0.5), round=0.0)))
    kit.hinge("post", "arm", at=(0, 0, 0), axis="z", lower=-90, upper=90)
    found = Solids.of(kit.build()).overlaps(np.radians([[0.0], [30.0], [77.0]]))
    assert found[0, 1] < 1e-3  # of a post that is round but for its facets
    other = Kit("thing", np.random.default_rng(0))
    other.link("post", paint(other.material("wood"), block((0.2, 0.6, 1), (0, 0, 0.5), round=0.0)))
    other.link("arm", paint(other.material("wood"), block((0.6, 0.04, 0.2), (0.35, 0, 0.5), round=0.0)))
    other.hinge("post", "arm", at=(0, 0, 0), axis="z", lower=-90, upper=90)
    verdict = Verdict("thing", 0)
    judge_shape(verdict, other.build())
    assert verdict.faults and "post and arm share" in verdict.faults[0]


def test_parts_that_come_apart_are_at_fault(kit):
    verdict = Verdict("thing", 0)
    judge_shape(verdict, _blocks(kit, slide=0.05))
    assert len(verdict.faults) == 1 and "bar is" in verdict.faults[0] and "away from cube" in verdict.faults[0]


def test_a_soft_piece_that_bends_into_a_link_is_at_fault(kit):
    foot, post = block((1, 0.4, 0.05), (0, 0, -0.05)), block((0.2, 0.2, 0.8), (0.3, 0, 0.4))
    kit.link("foot", paint(kit.material("wood"), foot, post))
    path = np.array([[-0.3, 0, -0.05], [-0.3, 0, 0.9]])
    stalk = tube(np.linspace(path[0], path[1], 14), 0.03)
    kit.bend("stalk", "foot", paint(kit.material("leaf"), stalk), path, axis="y", lower=-20, upper=40)
    verdict = Verdict("thing", 0)
    judge_shape(verdict, kit.build())
    assert [fault for fault in verdict.faults if "a soft piece sinks" in fault]


def test_twins_are_named_and_counted():
    bucket = procedural.draw("bucket", 3)
    larger = bucket.mesh.with_vertices(1.01 * bucket.mesh.vertices)
    larger = replace(bucket, articulation=replace(bucket.articulation, mesh=larger))
    assert digest(bucket) == digest(larger) != digest(procedural.draw("bucket", 4))
    verdicts = [Verdict("a", 1, digest="x"), Verdict("a", 2, digest="y"), Verdict("b", 1, digest="x")]
    name_twins(verdicts)
    assert [v.faults for v in verdicts] == [[], [], ["it is identical to a 1"]]
    last = report(verdicts)[-1]
    assert last.startswith("3 objects of 2 categories, 2 different") and last.endswith("1 objects at fault")


def test_what_a_library_prints_is_heard():
    with standard_error() as said:
        os.write(2, b"WARNING: one\ntwo\n")
    assert said == ["WARNING: one", "two"]


def test_the_command_leaves_with_one_where_objects_fail(monkeypatch, capsys):
    monkeypatch.setattr(check_procedural, "judge", lambda c, s: Verdict(c, s, ["it squeaks"] if c == "pen" else []))
    assert check_procedural.main(["2", "--workers", "1", "--only", "pen", "pot"]) == 1
    assert "pen 10000: it squeaks" in capsys.readouterr().out
    assert check_procedural.main(["1", "--workers", "1", "--only", "pot"]) == 0
