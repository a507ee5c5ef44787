"""The command lines of neurok that the operators run; points and vectors are in the axes of the file that is given."""

from collections.abc import Sequence
from dataclasses import dataclass

Vector = Sequence[float]

MESH, LINKS, STATES, SHAPES, REPORT, JOINTS = (
    "mesh.glb", "links.json", "states.json", "shapes.npz", "report.json", "joints.json"
)  # fmt: skip


@dataclass(frozen=True)
class Demand:
    """What is to act on an object: SI units, lengths in metres.

    pulls: points and by how much they are moved in the first third; pushes: points and forces [N] in the first fifth of
    a second. material: of the whole, '' for what is predicted.
    """

    seconds: float
    fps: float
    gravity: Vector = (0.0, 0.0, 0.0)
    ground: bool = False
    pulls: tuple[tuple[Vector, Vector], ...] = ()
    pushes: tuple[tuple[Vector, Vector], ...] = ()
    material: str = ""
    kinematics: str = "given"


def build_find(command: str) -> list[str]:
    """Find parts and joints."""
    return [command, "articulate", MESH, "--output", LINKS, "--faces", "--no-predict"]


def build_simulate(command: str, demand: Demand, *, with_joints: bool) -> list[str]:
    """Simulate: to states where the joints are given, else to vertices."""
    line = [command, "animate", MESH]
    line += [f"--joints={JOINTS}", f"--states={STATES}"] if with_joints else [f"--output={SHAPES}"]
    line += [f"--seconds={demand.seconds:.9g}", f"--fps={demand.fps:.9g}", f"--kinematics={demand.kinematics}"]
    if any(demand.gravity) or demand.ground:
        line.append(f"--gravity={join_numbers(demand.gravity)}")
    if demand.ground:
        line.append("--ground")
    if demand.material:
        line.append(f"--material={demand.material}")
    line += [f"--pull={join_pair(*pull)}" for pull in demand.pulls]
    return line + [f"--push={join_pair(*push)}" for push in demand.pushes]


def build_drag(command: str, pulls: Sequence[tuple[Vector, Vector]], *, with_joints: bool) -> list[str]:
    """Bring points to where they are wanted."""
    line = [command, "fit", MESH, *(f"--pull={join_pair(*pull)}" for pull in pulls)]
    return line + ([f"--joints={JOINTS}", f"--report={REPORT}"] if with_joints else [f"--output={SHAPES}"])


def join_numbers(numbers: Vector) -> str:
    """'X,Y,Z' without loss."""
    return ",".join(repr(float(number)) for number in numbers)


def join_pair(point: Vector, vector: Vector) -> str:
    """'X,Y,Z:DX,DY,DZ'."""
    return f"{join_numbers(point)}:{join_numbers(vector)}"
