"""The learned state space, as it is and with one thing changed, and the same network untrained as its control."""

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from neurok.evaluate.methods.recipe import fit_space
from neurok.evaluate.methods.reduction import reduce_space
from neurok.evaluate.targets import Target
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.kinematics.choose import learned_space
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.decoded import Decoded
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.learned.proposed import Proposing
from neurok.kinematics.prior import extend_prior
from neurok.kinematics.twists import Twists
from neurok.networks.config import from_values
from neurok.networks.models import build_model
from neurok.networks.vae import VaeModel
from neurok.networks.weights import SHIPPED, load_model, read_weights
from neurok.proposals.ranker import FILE as RANKER_FILE
from neurok.proposals.ranker import Ranker, load_ranker, parse_ranker

MAX_COORDINATES = 16  # of a latent space, at most, as the paper's protocol asks
RESIDUAL_SHARE = (
    0.1  # how far a bone strays from the modes, of how far they move the object (the noise of the evidence)
)


class LearnedMethod:
    """At most 16 coordinates, of a body that bends 144; the surface may tear between parts.

    weights: a folder of them; those that came with neurok where none is named.
    options: what the state space is made with, as `kinematics.choose.learned_space` takes it.
    """

    name = "learned"
    sees_truth = False
    tear = True

    def __init__(self, weights: str | None = None, **options: Any) -> None:
        self.weights, self.options = str(weights or SHIPPED), options

    @cached_property
    def model(self) -> Any:
        return _load_cached(self.weights)

    @cached_property
    def ranker(self) -> Ranker | None:
        """The ranker beside the weights; None for that of the package."""
        path = Path(self.weights) / RANKER_FILE
        return parse_ranker(path.read_bytes()) if path.is_file() else None

    @cached_property
    def proposes(self) -> bool:
        """Whether parts are proposed: not with weights that left kinds out, unless their own ranker did as well."""
        return self.ranker is not None or not read_weights(self.weights)[1].get("without")

    def whole_space(self, mesh: Mesh) -> Kinematics:
        """The space as the model gives it."""
        # What is measured is where points of the surface go; vertices shared by two parts would tie them together.
        return learned_space(mesh, self.model, LearnedOptions(purpose="fit", split=self.tear, **self.options))

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Kinematics:
        space = self.whole_space(mesh)
        if isinstance(space, Proposing):
            if self.proposes:  # its states have no more than MAX_COORDINATES either
                space.ranker = self.ranker
                return space
            space = space.learned
        return reduce_space(space, MAX_COORDINATES) if isinstance(space, Decoded) else space

    def fit(self, space: Kinematics, target: Target) -> Array:
        return fit_space(space, target)


class WholeMethod(LearnedMethod):
    """Nothing tears: vertices that two parts share go between them."""

    name = "learned-whole"
    tear = False


class UnreducedMethod(LearnedMethod):
    """All of the latent space: of modes, these and a motion of each bone on its own besides; of bodies, as it is."""

    name = "learned-unreduced"

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Kinematics:
        space = self.whole_space(mesh)
        return add_residuals(space) if isinstance(space, Twists) and space.prior.is_sparse else space


class UntrainedMethod(LearnedMethod):
    """What the same network gives before it has learned anything, in no more coordinates than it has learned, and what
    geometry proposes where the ranker has not learned to choose.

    Whether an object is a body or a mechanism it is told, since elastic modes are not learned.
    """

    name = "untrained"

    @cached_property
    def model(self) -> Any:
        config = from_values(read_weights(self.weights)[1]["config"])
        torch.manual_seed(config.seed)
        return build_model(config).eval().requires_grad_(False)

    @cached_property
    def ranker(self) -> Ranker:
        """One of the same shape whose layers are drawn at random; features are still standardised."""
        generator = np.random.default_rng(0)
        weights = {
            name: generator.normal(size=value.shape) if name.endswith(("weight", "bias")) else value
            for name, value in load_ranker().weights.items()
        }
        return Ranker(weights)

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Kinematics:
        if isinstance(self.model, VaeModel):
            return reduce_space(self.whole_space(mesh), MAX_COORDINATES)
        trained = LearnedMethod(self.weights, **self.options)
        known = trained.whole_space(mesh)
        options: dict[str, Any] = {"purpose": "fit", "split": self.tear, "is_soft": not known.prior.is_sparse}
        if isinstance(known, Proposing) and not trained.proposes:
            options["coordinate_count"] = known.size
        space = learned_space(mesh, self.model, LearnedOptions(**options | self.options))
        if not isinstance(space, Proposing):
            return space
        space.ranker = self.ranker
        return space if trained.proposes else space.learned


def add_residuals(space: Twists) -> Twists:
    """The space with six more coordinates for every bone: its own turn and shift, small beside what modes do.

    A residual's deviation is RESIDUAL of the root mean square of the modes' twists over all bones.
    """
    bones = len(space.basis)
    origin, size = space.origin, space.mesh.diagonal
    angular = np.sqrt(np.mean(np.sum(space.basis[:, :3] ** 2, axis=(1, 2))))
    linear = np.sqrt(np.mean(np.sum(space.basis[:, 3:] ** 2, axis=(1, 2))))
    # A turn about the common origin shifts as well: both count by what they do half a diagonal away.
    deviation = RESIDUAL_SHARE * max(0.5 * size * angular, linear)
    own = np.zeros((bones, 6, bones, 6))
    for bone in range(bones):
        seat = space.skin.frames[bone, :3, 3] - origin
        own[bone, :3, bone, :3] = 2.0 / size * np.eye(3)
        # About its own seat: a turn w there shifts the common origin by -w x seat.
        own[bone, 3:, bone, :3] = 2.0 / size * np.cross(seat, np.eye(3)).T
        own[bone, 3:, bone, 3:] = np.eye(3)
    basis = np.concatenate([space.basis, deviation * own.reshape(bones, 6, 6 * bones)], axis=2)
    names = (*space.names, *(f"part {b + 1}, {way}" for b in range(bones) for way in ("turn x", "turn y", "turn z",
             "shift x", "shift y", "shift z")))  # fmt: skip
    # A part's own motion is as unlikely as the unlikeliest mode, and goes as far either way as the farthest.
    prior = extend_prior(space.prior, 6 * bones)
    return Twists(space.mesh, space.skin, basis, origin=origin, names=names, prior=prior)


@lru_cache(maxsize=4)
def _load_cached(weights: str) -> Any:
    return load_model(weights)
