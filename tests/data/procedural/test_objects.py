"""Every category: valid by its own check and by another sampler, distinct, repeatable, and loaded by MuJoCo."""

import hashlib

import numpy as np
import pytest
import trimesh

from neurok.data import procedural
from neurok.data.procedural.check import MAX_FACES
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block
from neurok.errors import NeurokError, OptionError
from neurok.files.registry import save
from neurok.geometry.components import vertex_components
from neurok.kinematics.articulated import Articulated

SEEDS = (0, 1, 2)
ALL = procedural.list_categories()


@pytest.fixture(scope="module")
def made():
    """make, once for each category and seed."""
    kept = {}

    def get(category, seed):
        if (category, seed) not in kept:
            kept[category, seed] = procedural.make(category, seed)
        return kept[category, seed]

    return get


def _digest(thing) -> str:
    arrays = [thing.mesh.vertices, thing.mesh.faces, *thing.limits, thing.transforms(thing.sweep())]
    colors = [material.base_color for material in thing.mesh.materials]
    return hashlib.sha256(
        b"".join(np.ascontiguousarray(a).tobytes() for a in arrays) + repr(colors).encode()
    ).hexdigest()


@pytest.mark.parametrize("category", ALL)
def test_objects_are_sound_and_distinct(made, category):
    things = [made(category, seed) for seed in SEEDS]
    for thing in things:
        mesh = thing.mesh
        assert thing.category == category and mesh.up == "z"
        assert np.all(np.isfinite(mesh.vertices)) and 0 < mesh.face_count <= MAX_FACES
        assert abs(mesh.bounds[0, 2]) < 1e-9, "it stands on z = 0"
        assert 0.01 < mesh.diagonal < 40, "metres"
        assert len(thing.names) > 0 and np.all(thing.limits[0] <= 0) and np.all(thing.limits[1] >= 0)
        assert np.ptp(thing.motion(thing.sweep()).frames, axis=0).max() > 0.02 * mesh.diagonal, "something moves"
    assert len({_digest(thing) for thing in things}) == len(things)


@pytest.mark.parametrize("category", ALL)
def test_pieces_are_closed_and_look_outwards(made, category):
    for seed in SEEDS:
        mesh = made(category, seed).mesh
        body = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
        assert body.is_watertight and body.is_winding_consistent
        count, owner = vertex_components(mesh)
        a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
        volumes = np.bincount(owner[mesh.faces[:, 0]], np.einsum("md,md->m", np.cross(a, b), c) / 6, minlength=count)
        assert np.all(volumes[np.unique(owner[mesh.faces])] > 0)


@pytest.mark.parametrize("category", ALL)
def test_the_same_seed_gives_the_same_bytes(made, category):
    thing = made(category, 1)
    assert _digest(thing) == _digest(procedural.draw(category, 1, thing.rejected))


@pytest.mark.parametrize("category", ALL)
def test_skins_blend_and_rest_is_exact(made, category):
    thing = made(category, 2)
    skin = thing.bones
    assert np.allclose(skin.weights.sum(axis=1), 1.0) and np.all(skin.weights >= 0)
    assert np.allclose(thing.shape(np.zeros(len(thing.names))), thing.mesh.vertices, atol=1e-12)
    assert thing.is_soft == bool(thing.soft.any())
    if thing.is_soft:
        rigid = ~thing.soft
        assert np.all(skin.weights[rigid].max(axis=1) == 1.0), "rigid parts follow one bone each"
        assert np.any(skin.weights[thing.soft].max(axis=1) < 1.0)
    else:
        assert skin.is_rigid


@pytest.mark.parametrize("category", ALL)
def test_motions_agree_with_the_articulated_space(made, category):
    """Its slow twin: the kinematics that the rest of the package uses."""
    import torch

    thing = made(category, 0)
    space = Articulated(thing.articulation)
    assert list(space.names) == thing.names
    states = thing.states(6, np.random.default_rng(0))
    slow = np.stack([space.transforms(torch.from_numpy(q)).numpy() for q in states])
    assert np.allclose(thing.transforms(states), slow, atol=1e-12)


def _independent_depth(thing, states) -> float:
    """Deepest point of a link in one it is not joined to, over states, by trimesh's rays [share of the diagonal]."""
    articulation, mesh = thing.articulation, thing.mesh
    joined = {frozenset((j.parent, j.child)) for j in articulation.joints} | {frozenset(p) for p in thing.contacts}
    links = np.unique(articulation.vertex_link[~thing.soft])
    owner = np.where(thing.soft, -1, articulation.vertex_link)[mesh.faces[:, 0]]
    row = {link: i for i, link in enumerate(articulation.order)}
    rng, worst = np.random.default_rng(5), 0.0
    bodies = {}
    for link in links:
        body = trimesh.Trimesh(mesh.vertices, mesh.faces[owner == link], process=False)
        body.remove_unreferenced_vertices()
        bodies[link] = body, trimesh.sample.sample_surface(body, 120, seed=rng)[0]
    for X in thing.transforms(states):
        for a, (_, points) in bodies.items():
            for b, (body, _) in bodies.items():
                if a == b or frozenset((a, b)) in joined:
                    continue
                seen = np.linalg.solve(X[row[b]], X[row[a]])
                local = points @ seen[:3, :3].T + seen[:3, 3]
                near = np.all((local > body.bounds[0]) & (local < body.bounds[1]), axis=1)
                if not near.any():
                    continue
                pieces = body.split(only_watertight=False)
                for piece in pieces:
                    inside = local[near][piece.contains(local[near])]
                    if len(inside):
                        worst = max(worst, float(trimesh.proximity.closest_point(piece, inside)[1].max()))
    return worst / mesh.diagonal


@pytest.mark.parametrize(
    "category", ["assembly", "bucket", "drawer_cabinet", "folding_chair", "lamp", "office_chair", "toilet"]
)
def test_another_sampler_finds_no_collision(made, category):
    thing = made(category, 1)
    states = thing.states(7, np.random.default_rng(11))
    assert _independent_depth(thing, states) < 0.01


def test_the_other_sampler_sees_a_collision():
    """Of two cubes on a rail, a tenth of a metre apart, one slides 0.3 m towards the other."""
    kit = Kit("thing", np.random.default_rng(0))
    kit.link("rail", paint(kit.material("wood"), block((3, 0.2, 0.2), (0, 0, -0.6), round=0.0)))
    for side, name in ((-1, "left"), (1, "right")):
        kit.link(name, paint(kit.material("wood"), block((1, 1, 1), (0.55 * side, 0, 0), round=0.0)))
        kit.slide("rail", name, axis="x", lower=-0.4, upper=0.4)
    thing = kit.build()
    depth = _independent_depth(thing, np.array([[0.0, 0.0], [0.0, -0.3]]))
    assert 0.5 * 0.2 < depth * thing.mesh.diagonal <= 0.2
    assert _independent_depth(thing, np.zeros((1, 2))) == 0.0


def _loaded(thing, folder):
    import mujoco

    path = save(thing.articulation, folder / f"{thing.category}.urdf")
    return mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize(
    "category", ["bottle", "bucket", "drawer_cabinet", "lamp", "office_chair", "pliers", "umbrella"]
)
def test_mujoco_loads_the_joints(made, category, tmp_path):
    """Its bodies go where ours go: hinges and slides by name, screws by their two joints."""
    import mujoco

    thing = made(category, 0)
    model = _loaded(thing, tmp_path)
    data = mujoco.MjData(model)
    q = thing.states(4, np.random.default_rng(3))[2]
    A, b = thing.articulation.coupling
    for joint, value in zip(thing.articulation.joints, A @ q + b):
        if joint.kind == "screw":
            continue
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.name)
        assert index >= 0, joint.name
        data.qpos[model.jnt_qposadr[index]] = value
    if any(joint.kind == "screw" for joint in thing.articulation.joints):
        assert model.njnt == 2 * len(thing.articulation.joints)
        return
    mujoco.mj_kinematics(model, data)
    X = thing.transforms(q[None])[0]
    for row, link in enumerate(thing.articulation.order):
        place = X[row] @ thing.articulation.links[link].T_world_link
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, thing.articulation.links[link].name)
        if index > 0:  # the base is MuJoCo's world
            assert np.allclose(data.xpos[index], place[:3, 3], atol=1e-5)


def test_unknown_names_and_seeds_are_refused():
    with pytest.raises(OptionError, match="unknown category 'spoon'; use one of: .*bucket"):
        procedural.make("spoon", 0)
    with pytest.raises(OptionError, match="seed"):
        procedural.make("bucket", -1)


def test_a_seed_without_a_valid_object_says_so(monkeypatch):
    from neurok.data.procedural import check

    monkeypatch.setattr(check, "find_faults", lambda thing: ["the bow falls off"])
    with pytest.raises(NeurokError, match="seed 3 of 'bucket' gave no valid object in 20 draws .*the bow falls off"):
        procedural.make("bucket", 3)


def test_rejected_draws_are_counted(monkeypatch):
    from neurok.data.procedural import check

    answers = iter([["bad"], ["bad"], []])
    monkeypatch.setattr(check, "find_faults", lambda thing: next(answers))
    assert procedural.make("bucket", 3).rejected == 2
