"""Merge trees: nested hypotheses of parts, from single units to the whole, each by another reason to hold.

Every node of a tree is a hypothesis: "these units move as one". On every fourth train object of PartNet-Mobility (139
moving parts of .3 % of the surface and more; counted once, outside the package), 91 % of the moving parts are a node
(IoU > .9), and 98 % are a union of units:

    firm edges .76; and components by contact .84; and single units .87; and all edges .90; and boxes .91.
"""

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.sampling import SMALL_LENGTH, TINY
from neurok.proposals.units import Units

FIRM_CONCAVE_SHARE = 0.1  # how much a border with a right angle inwards holds, of what a convex one does
RIDER_CONTACT_SHARE = 0.8  # of what a component touches belongs to the part that carries it
RIDER_AREA_SHARE = 0.5  # of the area of what carries it, at most


def grow_trees(units: Units) -> Mask:
    """All distinct nodes of all trees, with and without riders, the whole object left out, [h, u]; small ones first."""
    firm, touch = measure_firmness(units), units.contact + units.contact.T
    size = units.area + 1e-9
    components = list_members(units.component)
    found = [
        np.eye(units.count, dtype=bool),
        merge_clusters(firm + TINY * touch, size, mean=True),
        merge_clusters(units.border.length + TINY * touch, np.maximum(units.border.outline, 1e-9)),
        merge_boxes(units, (units.border.length + touch) > 0),
        _merge_groups(components, touch, np.maximum(touch.sum(axis=1), 1e-9)),
    ]
    nodes = np.unique(np.concatenate(found), axis=0)
    nodes = np.unique(np.concatenate([nodes, add_riders(units, nodes)]), axis=0)
    nodes = nodes[~nodes.all(axis=1)]
    return nodes[np.argsort(nodes.sum(axis=1), kind="stable")]


def measure_firmness(units: Units) -> Array:
    """How much the edges between two units hold: their length, less where they bend inwards, [u, u].

    Edges at which more than two faces meet do not hold.
    """
    border = units.border
    plain = np.maximum(border.length - border.crowded, 0.0)
    hollow = np.clip(4.0 * border.concave / np.maximum(plain, 1e-12), 0.0, 1.0)  # a right angle is pi / 2 of 2 pi
    return plain * (1.0 - hollow * (1.0 - FIRM_CONCAVE_SHARE))


def merge_clusters(hold: Array, size: Array, *, mean: bool = False) -> Mask:
    """The clusters that arise when the two that hold strongest merge again and again, [at most u - 1, u].

    hold: of every two units, [u, u], and size: of every unit, [u], both added up over clusters. Strength is hold over
    the smaller size, or with `mean` over the product of both sizes (average linkage).
    """
    count = len(size)
    members, hold, size = np.eye(count, dtype=bool), hold.astype(np.float64), size.astype(np.float64)
    np.fill_diagonal(hold, 0.0)

    def compare(a: Array, b: Array) -> Array:
        return a * b if mean else np.minimum(a, b)

    strength, found = hold / compare(size[:, None], size[None]), []
    for _ in range(count - 1):
        a, b = divmod(int(strength.argmax()), count)
        if not strength[a, b] > 0:
            break
        members[a] |= members[b]
        hold[a] += hold[b]
        hold[a, [a, b]] = 0.0
        hold[:, a] = hold[a]
        hold[b] = hold[:, b] = 0.0
        size[a] += size[b]
        strength[b] = strength[:, b] = 0.0
        strength[a] = strength[:, a] = hold[a] / compare(size[a], size)
        found.append(members[a].copy())
    return np.array(found, dtype=bool).reshape(-1, count)


def merge_boxes(units: Units, meets: Mask) -> Mask:
    """The clusters that arise when of two that meet those merge whose common box grows least for the smaller's size."""
    count = units.count
    members, meets = np.eye(count, dtype=bool), meets.copy()
    np.fill_diagonal(meets, False)
    lower, upper = units.lower.copy(), units.upper.copy()

    def surface(low: Array, high: Array) -> Array:
        x, y, z = np.moveaxis(np.maximum(high - low, SMALL_LENGTH), -1, 0)
        return x * y + y * z + z * x

    own = surface(lower, upper)

    def growth(a: int) -> Array:
        common = surface(np.minimum(lower[a], lower), np.maximum(upper[a], upper))
        return np.where(meets[a], (common - np.maximum(own, own[a])) / np.minimum(own, own[a]), np.inf)

    cost, found = np.stack([growth(a) for a in range(count)]), []
    for _ in range(count - 1):
        a, b = divmod(int(cost.argmin()), count)
        if not np.isfinite(cost[a, b]):
            break
        members[a] |= members[b]
        lower[a], upper[a] = np.minimum(lower[a], lower[b]), np.maximum(upper[a], upper[b])
        own[a] = surface(lower[a], upper[a])
        meets[a] |= meets[b]
        meets[a, [a, b]] = False
        meets[:, a] = meets[a]
        meets[b] = meets[:, b] = False
        cost[b] = cost[:, b] = np.inf
        cost[a] = cost[:, a] = growth(a)
        found.append(members[a].copy())
    return np.array(found, dtype=bool).reshape(-1, count)


def add_riders(units: Units, nodes: Mask) -> Mask:
    """Nodes [h, u] with the small components that touch hardly anything else: handles, rings, screws."""
    components, N = list_members(units.component).astype(np.float64), nodes.astype(np.float64)
    touch = units.contact + units.contact.T
    at_node = components @ touch @ N.T  # [c, h]
    outside = (components @ touch * (1.0 - components)).sum(axis=1)
    inside = (components @ N.T) > 0
    small = (components @ units.area)[:, None] < RIDER_AREA_SHARE * (N @ units.area)[None]
    rides = (at_node > RIDER_CONTACT_SHARE * outside[:, None]) & (at_node > 0) & ~inside & small
    return nodes | ((rides.T.astype(np.float64) @ components) > 0)


def list_members(label: Indices) -> Mask:
    """The members of every label, [l, u]."""
    return np.unique(label)[:, None] == label


def _merge_groups(groups: Mask, hold: Array, size: Array) -> Mask:
    """Groups of units [g, u], and what they merge into."""
    G = groups.astype(np.float64)
    merged = merge_clusters(G @ hold @ G.T, G @ size)
    return np.concatenate([groups, (merged.astype(np.float64) @ G) > 0])
