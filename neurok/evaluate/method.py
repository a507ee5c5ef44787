"""Method: something that deforms a plain mesh towards a target. Row: a method as it stands in a table, with weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from neurok.errors import InputError, OptionError, unknown
from neurok.evaluate.targets import Target
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh


class Method(Protocol):
    """A name, a space made once for a mesh, and a fit in it for each target.

    sees_truth: whether it is an oracle: then, and only then, `make_space` is given the object with its joints.
    """

    name: str
    sees_truth: bool

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Any:
        """Whatever is worth making once for a mesh: a Kinematics, a graph, components; None: cannot be made."""

    def fit(self, space: Any, target: Target) -> Array:
        """Where the mesh goes: its vertices [n, 3], or, where it tears, the corners of its faces [m, 3, 3]."""


# name -> (module, class, what it is); the order of the tables.
METHODS = {
    "still": ("neurok.evaluate.methods.still", "StillMethod", "not moving"),
    "components": ("neurok.evaluate.methods.components", "ComponentsMethod", "each connected component moved rigidly"),
    "arap": ("neurok.evaluate.methods.arap", "ArapMethod", "free particles, as rigid as possible"),
    "keypoints": ("neurok.evaluate.methods.keypoints", "KeypointMethod", "keypoints that move a cage, in the manner of "
                  "KeyPointDeformer"),
    "untrained": ("neurok.evaluate.methods.learned", "UntrainedMethod", "control: the network before it has learned, "
                  "in as many coordinates"),
    "proposals": ("neurok.evaluate.methods.proposals", "ProposalsMethod", "what geometry proposes and a "
                  "ranker chooses, without learned modes; is told that the object has parts that move"),
    "learned": ("neurok.evaluate.methods.learned", "LearnedMethod", "the learned state space, 16 coordinates at most, "
                "144 where a body bends; the surface may tear between parts"),
    "learned-whole": ("neurok.evaluate.methods.learned", "WholeMethod", "the same, and nothing tears"),
    "learned-unreduced": ("neurok.evaluate.methods.learned", "UnreducedMethod", "the same without reduction: the whole "
                          "latent space"),
    "oracle": ("neurok.evaluate.methods.oracle", "OracleMethod", "ceiling: knows the joints"),
}  # fmt: skip

# Methods that take weights: all others are as they are. Those of NEEDED have none that come with neurok.
TAKES_WEIGHTS = ("keypoints", "proposals", "untrained", "learned", "learned-whole", "learned-unreduced")
NEEDS_WEIGHTS = ("keypoints",)
VARIANTS = {"whole": "learned-whole", "unreduced": "learned-unreduced", "untrained": "untrained"}
SPACE, DEFORMER, RANKER = "config", "deformer", "ranker"  # the entries of config.json that tell what weights are of
KIND_OF_WEIGHTS = {"keypoints": DEFORMER, "proposals": RANKER}  # of a method; a state space otherwise


@dataclass(frozen=True)
class MethodRow:
    """One row of the tables. name: of the row. method: of METHODS. weights: their folder; None: neurok's own."""

    name: str
    method: str
    weights: str | None = None

    @property
    def description(self) -> str:
        """What stands behind the name."""
        text = METHODS[self.method][2]
        return f"{text} (weights `{Path(self.weights).name}`)" if self.weights else text

    def make_method(self) -> Method:
        """The method, under the row's name."""
        kind = getattr(import_module(METHODS[self.method][0]), METHODS[self.method][1])
        made = kind(self.weights) if self.method in TAKES_WEIGHTS else kind()
        made.name = self.name
        return made

    def read_record(self) -> dict[str, Any] | None:
        """What is written beside the weights, checked; None where there are none."""
        if self.method not in TAKES_WEIGHTS or (self.method == "proposals" and self.weights is None):
            return None
        from neurok.networks.weights import SHIPPED, read_weights

        _, record = read_weights(self.weights or SHIPPED)
        if KIND_OF_WEIGHTS.get(self.method, SPACE) not in record:
            raise InputError(f"{self.weights} holds weights of another kind than '{self.name}' takes", "name others")
        return record


def make_rows(names: Sequence[str] = (), weights: Sequence[str] = ()) -> list[MethodRow]:
    """The rows of these names, of all that can be run where none is named.

    weights: 'DIR' for all rows of the learned space; 'NAME=DIR' for the row NAME, which may be a new one: its rows
    NAME-whole, NAME-unreduced and NAME-untrained can then be named as well.
    """
    own, usual = _parse_weights(weights)
    rows = {name: MethodRow(name, name) for name in METHODS}
    for name in TAKES_WEIGHTS:
        rows[name] = MethodRow(name, name, own.get(name) or (usual if name not in NEEDS_WEIGHTS else None))
    new = {name: MethodRow(name, _find_method(folder), folder) for name, folder in own.items() if name not in METHODS}
    for name, row in list(new.items()):
        if row.method == "learned":
            new |= {f"{name}-{end}": MethodRow(f"{name}-{end}", kind, row.weights) for end, kind in VARIANTS.items()}
    known = {name: row for name, row in rows.items() if name != "oracle"} | new | {"oracle": rows["oracle"]}
    for name in names:
        if name not in known:
            raise unknown("method", name, known)
        if name in NEEDS_WEIGHTS and known[name].weights is None:
            raise OptionError(f"'{name}' has no weights", f"train some with `neurok evaluate {name}`, then say "
                              f"--weights {name}=DIR")  # fmt: skip
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [row for name, row in known.items() if (row.name in METHODS or row.name in own)
            and not (name in NEEDS_WEIGHTS and row.weights is None)]  # fmt: skip


def make_methods(names: Sequence[str], weights: Sequence[str] = ()) -> list[Method]:
    """The methods of these rows."""
    return [row.make_method() for row in make_rows(names, weights)]


def find_runs(folder: str) -> list[str]:
    """The weights of all runs in a folder, as 'NAME=DIR', by name."""
    from neurok.networks.weights import CONFIG

    if not Path(folder).is_dir():
        raise InputError(f"there is no folder {folder}", "name the folder that holds the runs")
    found = []
    for run in sorted(p for p in Path(folder).iterdir() if p.is_dir()):
        place = next((p for p in (run / "weights", run) if (p / CONFIG).is_file()), None)
        if place is not None:
            found.append(f"{run.name}={place}")
    if not found:
        raise InputError(f"none of the folders in {folder} holds weights", "name the folder that holds the runs")
    return found


def _parse_weights(weights: Sequence[str]) -> tuple[dict[str, str], str | None]:
    """Folders by the row's name, and the one without a name."""
    own, usual = {}, None
    for word in weights:
        name, equals, folder = word.partition("=")
        if not equals:
            name, folder = "", word
        if not folder or name in own or (not name and usual is not None):
            raise OptionError(f"the weights '{word}' name no folder, or one too many", "say DIR, or NAME=DIR once each")
        if not name:
            usual = folder
        elif name in METHODS and name not in TAKES_WEIGHTS:
            raise OptionError(f"'{name}' takes no weights", "give the row another name")
        else:
            own[name] = folder
    return own, usual


def _find_method(folder: str) -> str:
    """The method that weights are for."""
    from neurok.networks.weights import read_weights

    record = read_weights(folder)[1]
    return next((method for method, kind in KIND_OF_WEIGHTS.items() if kind in record), "learned")
