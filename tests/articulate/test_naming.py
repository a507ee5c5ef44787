"""Plain names by simple rules, and a colour for each link: unique, stable, and no more than the rules show."""

import json
from dataclasses import replace

import numpy as np
import pytest

from neurok.articulate.clips import make_clips
from neurok.articulate.naming import name_links
from neurok.articulate.painting import PALETTE, choose_shades, make_color, paint_links
from neurok.articulate.physics import add_physics
from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Material, Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, cylinder


def _box(width, depth, height, *shift) -> Mesh:
    T = np.eye(4)
    T[:3, 3] = shift
    return transform(box(width, depth, height), T)


def _disc(radius, thickness, *shift) -> Mesh:
    """A disc whose axis is along y."""
    T = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    T[:3, 3] = shift
    return transform(cylinder(radius, thickness), T)


def _object(base: Mesh, moved, order=None) -> Articulation:
    """moved: mesh, kind, axis, pivot, lower and upper of each part; order: in which they stand in the file."""
    rows = [moved[i] for i in (range(len(moved)) if order is None else order)]
    meshes = [Mesh(mesh.vertices, mesh.faces) for mesh in (base, *(row[0] for row in rows))]
    joints = []
    for child, (_, kind, axis, pivot, lower, upper) in enumerate(rows, start=1):
        origin = np.eye(4)
        origin[:3, 3] = pivot
        name = f"part_{child}_joint"
        joints.append(Joint(name, kind, 0, child, origin, np.array(axis, dtype=float), lower, upper))
    whole = merge(meshes)
    link = np.repeat(range(len(meshes)), [mesh.vertex_count for mesh in meshes])
    links = tuple(Link(f"part_{index}", np.eye(4)) for index in range(len(meshes)))
    return Articulation(Mesh(whole.vertices, whole.faces, up="z"), link, links, tuple(joints), "thing")


# A cabinet that looks to -y: two doors over two drawers, and a lid on top.
CABINET = _box(1, 0.5, 1, 0, 0, 0)
LEFT = (_box(0.48, 0.02, 0.4, -0.25, -0.26, 0.2), "revolute", (0, 0, -1), (-0.49, -0.26, 0.2), 0.0, 1.5)
RIGHT = (_box(0.48, 0.02, 0.4, 0.25, -0.26, 0.2), "revolute", (0, 0, 1), (0.49, -0.26, 0.2), 0.0, 1.5)
UPPER = (_box(0.9, 0.4, 0.2, 0, -0.1, -0.15), "prismatic", (0, -1, 0), (0, 0, 0), 0.0, 0.35)
LOWER = (_box(0.9, 0.4, 0.2, 0, -0.1, -0.38), "prismatic", (0, -1, 0), (0, 0, 0), 0.0, 0.35)
LID = (_box(1, 0.5, 0.03, 0, 0, 0.515), "revolute", (-1, 0, 0), (0, 0.25, 0.5), 0.0, 1.2)
KNOB = (_disc(0.04, 0.03, 0.4, -0.27, 0.45), "continuous", (0, 1, 0), (0.4, -0.27, 0.45), -np.inf, np.inf)
PARTS = (LEFT, RIGHT, UPPER, LOWER, LID, KNOB)
NAMES = ["door_left", "door_right", "drawer_1", "drawer_2", "lid", "knob"]


def test_a_cabinet_has_doors_drawers_a_lid_and_a_knob():
    found = name_links(_object(CABINET, PARTS))
    assert [link.name for link in found.links] == ["base", *NAMES]
    assert [joint.name for joint in found.joints] == [f"{name}_joint" for name in NAMES]


@pytest.mark.parametrize("seed", range(4))
def test_names_do_not_depend_on_the_order_of_the_parts(seed):
    order = np.random.default_rng(seed).permutation(len(PARTS))
    found = name_links(_object(CABINET, PARTS, order))
    assert [link.name for link in found.links[1:]] == [NAMES[i] for i in order]


@pytest.mark.parametrize("up", ["x", "y"])
def test_names_do_not_depend_on_the_axis_that_is_up(up):
    from neurok.geometry.placement import quarter_turn

    thing = _object(CABINET, PARTS)
    T = np.eye(4)
    T[:3, :3] = quarter_turn(up, "z").T
    turned = replace(
        thing, mesh=replace(transform(thing.mesh, T), up=up),
        links=tuple(replace(link, T_world_link=T @ link.T_world_link) for link in thing.links),
    )  # fmt: skip
    assert [link.name for link in name_links(turned).links] == ["base", *NAMES]


def test_wheels_are_low_and_round_and_level():
    wheel = [
        (_disc(0.15, 0.05, x, y, -0.2), "continuous", (0, 1, 0), (x, y, -0.2), -np.inf, np.inf)
        for x in (-0.4, 0.4) for y in (-0.3, 0.3)
    ]  # fmt: skip
    found = name_links(_object(_box(1.2, 0.5, 0.3, 0, 0, 0), wheel))
    assert sorted(link.name for link in found.links[1:]) == ["wheel_1", "wheel_2", "wheel_3", "wheel_4"]


def test_nothing_is_claimed_that_no_rule_shows():
    """A lump that turns a little is a part; a fan's blades, not round by their box, only turn."""
    lump = (_box(0.3, 0.25, 0.3, 0, 0, 0.65), "revolute", (0.6, 0, 0.8), (0, 0, 0.5), 0.0, 0.4)
    blades = (_box(0.6, 0.02, 0.1, 0, -0.3, 0), "continuous", (0, 1, 0), (0, 0, 0), -np.inf, np.inf)
    found = name_links(_object(CABINET, [lump, blades]))
    assert [link.name for link in found.links] == ["base", "part_1", "rotor"]


def test_names_of_the_file_stay_and_ours_give_way():
    thing = _object(CABINET, PARTS)
    links = list(thing.links)
    links[3] = replace(links[3], name="lid")  # a drawer that its file calls so
    found = name_links(replace(thing, links=tuple(links)))
    assert found.links[3].name == "lid" and found.links[5].name == "lid_2"
    assert len({link.name for link in found.links}) == len(found.links)


def test_clips_and_nodes_of_a_glb_carry_the_names(tmp_path):
    found = name_links(_object(CABINET, PARTS))
    clips = make_clips(found)
    assert [clip.name for clip in clips] == [f"{name}_joint" for name in NAMES]
    path = save(clips, tmp_path / "thing.gltf")
    data = json.loads(path.read_text())
    assert [clip["name"] for clip in data["animations"]] == [f"{name}_joint" for name in NAMES]
    assert set(NAMES) <= {node.get("name") for node in data["nodes"]}


# ---------------------------------------------------------------- colours


def test_every_link_has_a_colour_that_its_neighbours_have_not():
    thing = name_links(_object(CABINET, PARTS))
    shades = choose_shades(thing)
    assert shades[0] == 0 and len(set(shades)) == len(shades)
    many = [
        (_box(0.05, 0.02, 0.05, 0.06 * i, -0.26, 0.06 * j), "prismatic", (0, -1, 0), (0, 0, 0), 0.0, 0.02)
        for i in range(-6, 7) for j in range(-6, 7)
    ]  # fmt: skip
    keys = _object(_box(1, 0.5, 1, 0, 0, 0), many)
    shades, centres = np.array(choose_shades(keys))[1:], np.array([row[0].bounds.mean(axis=0) for row in many])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    beside = (apart > 0) & (apart < 0.065)
    assert not np.any(beside & (shades[:, None] == shades[None]))
    assert len(PALETTE) == 8 and all(0 <= x <= 1 for digits in PALETTE for x in make_color(digits))


def test_a_file_with_materials_or_colours_keeps_them():
    thing = _object(CABINET, PARTS)
    coat = replace(thing.mesh, materials=(Material("oak"),), face_material=np.zeros(thing.mesh.face_count, dtype=int))
    tinted = replace(thing.mesh, attributes={"color": np.ones((thing.mesh.vertex_count, 4))})
    for mesh in (coat, tinted):
        given = replace(thing, mesh=mesh)
        assert paint_links(given) is given


@pytest.mark.parametrize("suffix", ["urdf", "xml", "usda", "glb"])
def test_colours_and_names_reach_every_format(tmp_path, suffix):
    if suffix == "usda":
        pytest.importorskip("pxr")
    thing = paint_links(name_links(_object(CABINET, PARTS)))
    path = save(make_clips(thing) if suffix == "glb" else add_physics(thing), tmp_path / f"thing.{suffix}")
    if suffix == "xml":
        text = path.read_text()
        assert all(f'<body name="{name}"' in text and f'material name="{name}"' in text for name in NAMES)
        return
    asset = load(path)
    mesh = asset.mesh
    shown = {tuple(np.round(mesh.materials[i].base_color[:3], 3)) for i in np.unique(mesh.face_material) if i >= 0}
    assert shown == {tuple(np.round(make_color(digits)[:3], 3)) for digits in PALETTE[:7]}
    links = asset.articulation.links if asset.articulation is not None else ()
    assert set(NAMES) <= {each.name for each in (*mesh.parts, *links)}
