"""The learned state space of a plain mesh, stage by stage:

    observe -> merge -> snap -> group -> skin

The network first says whether the shape is a mechanism, of which few parts move, or a soft body, which bends or walks.
Of a mechanism it knows the parts and their joints; of a soft body, motions are taken from elasticity (see `soft`).
Every stage is a pure function of the ones before and of LearnedOptions.
"""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh
from neurok.kinematics.learned.bone_names import bone_names
from neurok.kinematics.learned.file_frame import origin_in_file, skin_in_file, twists_in_file
from neurok.kinematics.learned.groups import compare_handles, group_handles
from neurok.kinematics.learned.modes import Modes, choose_sure_modes, merge_views
from neurok.kinematics.learned.observe import ObservedObject, observe_object
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.learned.proposed import Proposing
from neurok.kinematics.learned.skin import (
    blend_handles,
    find_split_corners,
    find_vertex_handles,
    merge_bones,
    split_mesh,
)
from neurok.kinematics.learned.snap import snap_modes
from neurok.kinematics.learned.soft import soft_space
from neurok.kinematics.prior import SparsePrior, sparse_prior
from neurok.kinematics.twists import Twists
from neurok.networks.handles import HandlesModel


def learn_space(mesh: Mesh, model: HandlesModel, options: LearnedOptions | None = None) -> Twists:
    """The states a mesh can take as a model has learned it; in the file's own axes and units."""
    options = options or LearnedOptions()
    observed = observe_object(mesh, model, options)
    seen = merge_views(observed, options)
    if observed.is_soft if options.is_soft is None else options.is_soft:
        return soft_space(mesh, observed, seen, options)
    modes = snap_modes(observed, choose_sure_modes(seen, options), options)
    modes, group = group_handles(observed.metric, modes, options)
    learned = skin_parts(mesh, observed, modes, group, options)
    if not options.is_for_fits:
        return learned
    return Proposing(learned, mesh, most=options.coordinate_count, split=options.split)


def skin_parts(mesh: Mesh, observed: ObservedObject, modes: Modes, group: Indices, options: LearnedOptions) -> Twists:
    """The state space whose bones are the parts; group: the part of each handle, [h]."""
    surface, anchors = observed.surface, observed.handles.anchor
    unlike = compare_handles(observed.metric, modes.twist, options)
    own, vertices = find_vertex_handles(surface, anchors), surface.mesh.vertices
    if options.split:
        corners = find_split_corners(surface, anchors, unlike, group, own, options.tolerance)
        mesh, source, own = split_mesh(mesh, corners, own, group)
        vertices = vertices[source]
    shared = np.where(_follow_apart(modes.follows), np.inf, unlike)
    joints, weights = blend_handles(vertices, own, observed.anchor, shared, options.tolerance)
    first = np.unique(group, return_index=True)[1]  # handle of each part
    skin = skin_in_file(observed.anchor[first], *merge_bones(joints, weights, group), surface.place)
    skin = replace(skin, names=bone_names(mesh, skin))
    basis = twists_in_file(modes.twist[first], surface.place)
    return Twists(mesh, skin, basis, origin=origin_in_file(surface.place), prior=mechanism_prior(modes, options))


def mechanism_prior(modes: Modes, options: LearnedOptions) -> SparsePrior:
    """What is likely of the modes: one that half of the views see is half as likely to move as one that all see."""
    typical = modes.extent * (options.extent_factor[0] / options.extent)
    return sparse_prior(modes.extent, typical=typical, penalty=1.0 / modes.support)


def _follow_apart(follows: Array) -> Mask:
    """Whether one of two handles follows some mode's screw and the other does not, [h, h]: they share no vertex,
    however little they differ next to a hinge."""
    return np.any(np.abs(follows[:, None] - follows[None]) > 0.5, axis=2)
