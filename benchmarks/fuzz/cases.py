"""Cases: what a stranger may send, made from valid things by mutation; the same number gives the same case."""

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzz.mutations import HOSTILE_NUMBERS, mutate_bytes, mutate_json, write_json

USD_SHARE = 0.02
JSON_CHUNK = 0x4E4F534A  # of a GLB file
CONDITIONS: dict[str, Any] = {
    "pulls": [{"point": [0.0, 0.1, 0.02], "by": [0, 0, 0.05], "start": 0.0, "end": 0.02}],
    "pushes": [{"point": [0.0, 0.1, 0.02], "force": [0, 0, 1.0], "start": 0.0, "end": 0.01}],
    "pins": [{"point": [0, 0, 0]}], "starts": [{"point": [0, 0.1, 0], "by": [0, 0, 0.01]}],
    "velocities": [{"point": [0, 0.1, 0], "velocity": [0, 0, 0.1]}],
    "obstacles": [{"kind": "sphere", "point": [0, 0, 1], "radius": 0.1}],
    "gravity": [0, 0, -9.81], "wind": [1, 0, 0], "ground": True, "seconds": 0.02, "fps": 50, "damping": 0.5,
    "stiffness": 1.0, "friction": 0.5, "density": 500, "integrator": "midpoint", "base": "free", "dt": 0.01, "seed": 1,
}  # fmt: skip
OPTIONS = (
    "--seconds", "--fps", "--dt", "--seed", "--damping", "--stiffness", "--friction", "--restitution", "--density",
    "--mass", "--gravity", "--wind", "--pull", "--push", "--pin", "--start", "--velocity", "--obstacle",
    "--ground-height", "--integrator", "--base", "--kinematics", "--up", "--unit", "--material", "--part", "-o",
    "--conditions", "--weights", "--nonsense",
)  # fmt: skip
WORDS = (
    *HOSTILE_NUMBERS, "0.02", "1", "10", "y", "midpoint", "free", "joints", "lid", "screen", "0,0,0",
    "0,0.1,0.02:0,0,0.1", "0,0,0:1e999,0,0", "nan,nan,nan", "lid:0,0,0.1@0,0.01", "sphere:0,0,0:1",
    "plane:0,0,0:0,0,1", "steel", "lid=wood",
    "/proc/x.glb", "x" * 300 + ".glb", "/dev/null", "\0", "é", "out.npz", "out.nothing", ":", ",,", "@",
)  # fmt: skip
NAMES = (
    "", ".", "..", "a", "../../x.glb", "x.GLB", "x.gltf", "x.obj\0.png", "a" * 5000, "\ud800.glb", "x.zip", "con.ply",
)  # fmt: skip


@cache
def list_seeds() -> dict[str, dict[str, bytes]]:
    """Small valid files: main name -> the names and bytes of all that belong to it."""
    from neurok.assets.laptop import laptop
    from neurok.files.registry import save
    from neurok.kinematics.articulated import Articulated
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.simulate import animate

    joints = laptop()
    motion = animate(Articulated(joints), Conditions(seconds=0.1, fps=20)).motion()
    found = {}
    formats = (".obj", ".ply", ".stl", ".off", ".npz", ".glb", ".gltf", ".urdf", ".xml")
    for suffix in (*formats, *([".usda"] if find_spec("pxr") else [])):
        thing = joints if suffix in (".urdf", ".xml") else motion if suffix in (".glb", ".npz") else joints.mesh
        with tempfile.TemporaryDirectory() as folder:
            save(thing, Path(folder) / f"a{suffix}")
            paths = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
            found[f"a{suffix}"] = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    found["a.zip"] = {"a.zip": _pack_zip(found["a.urdf"])}
    return found


def _pack_zip(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def damage_file(name: str, data: bytes, rng: np.random.Generator) -> bytes:
    """A file with some damage: within its structure as often as in its bytes."""
    suffix = Path(name).suffix
    if rng.random() < 0.5:
        if suffix == ".gltf":
            return write_json(mutate_json(json.loads(data), rng), rng)
        if suffix == ".glb":
            return _damage_glb(data, rng)
        if suffix in (".zip", ".npz"):
            return _damage_zip(data, rng)
    return mutate_bytes(data, rng)


def _damage_glb(data: bytes, rng: np.random.Generator) -> bytes:
    length = struct.unpack_from("<I", data, 12)[0]
    text = write_json(mutate_json(json.loads(data[20 : 20 + length]), rng), rng)
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    head = struct.pack("<IIIII", 0x46546C67, 2, 20 + len(text) + len(rest), len(text), JSON_CHUNK)
    return head + text + rest


def _damage_zip(data: bytes, rng: np.random.Generator) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name = sorted(files)[int(rng.integers(len(files)))]
    files[name] = mutate_bytes(files[name], rng)
    return _pack_zip(files)


def write_damaged(folder: Path, rng: np.random.Generator) -> Path:
    """A file with damage, and its neighbours, of which one may be damaged in its place."""
    seeds = list_seeds()
    plain = sorted(name for name in seeds if name != "a.usda")
    # USD is read by a process of its own, which takes a second to begin.
    is_usd = "a.usda" in seeds and rng.random() < USD_SHARE
    name = "a.usda" if is_usd else plain[int(rng.integers(len(plain)))]
    files = dict(seeds[name])
    target = name if rng.random() < 0.7 else sorted(files)[int(rng.integers(len(files)))]
    files[target] = damage_file(target, files[target], rng)
    for each, data in files.items():
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_bytes(data)
    return folder / name


# ---------------------------------------------------------------- the classes; each does one case in a folder


def try_file(folder: Path, rng: np.random.Generator) -> object:
    """A damaged file is inspected or converted."""
    path = write_damaged(folder, rng)
    if rng.random() < 0.6:
        return _run_verb("inspect", str(path))
    suffix = str(rng.choice([".glb", ".obj", ".npz", ".ply", ".urdf"]))
    return _run_verb("convert", str(path), "-o", str(folder / f"out{suffix}"))


def try_motion(folder: Path, rng: np.random.Generator) -> object:
    """A damaged object with joints is moved."""
    files = list_seeds()["a.urdf"]
    for each, data in files.items():
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_bytes(mutate_bytes(data, rng) if each == "a.urdf" else data)
    return _run_verb("animate", str(folder / "a.urdf"), "--seconds", "0.02", "-o", str(folder / "out.npz"))


def try_conditions(folder: Path, rng: np.random.Generator) -> object:
    """Hostile conditions for a good object."""
    path = folder / "conditions.json"
    told = {key: value for key, value in CONDITIONS.items() if rng.random() < 0.6} | {"seconds": 0.02}
    text = write_json(mutate_json(told, rng), rng)
    path.write_bytes(text if rng.random() < 0.9 else mutate_bytes(text, rng))
    given = str(_put_laptop(folder))
    return _run_verb("animate", given, "--conditions", str(path), "--seconds", "0.02", "-o", str(folder / "out.npz"))


def try_command(folder: Path, rng: np.random.Generator) -> object:
    """Options with values that nobody should give."""
    given = [str(_put_laptop(folder)), "--seconds", "0.02", "-o", str(folder / "out.npz")]
    for _ in range(int(rng.integers(1, 4))):
        given.insert(int(rng.integers(len(given) + 1)), str(rng.choice(OPTIONS)))
        if rng.random() < 0.9:
            place = int(rng.integers(len(given) + 1)) if rng.random() < 0.2 else len(given)
            given[place:place] = [WORDS[int(rng.integers(len(WORDS)))]]
    before = Path.cwd()
    os.chdir(folder)
    try:
        return _run_verb(*([] if rng.random() < 0.02 else ["animate"]), *given)
    finally:
        os.chdir(before)


def try_weights(folder: Path, rng: np.random.Generator) -> object:
    """Damaged weights, whose hash fits them all the same."""
    from neurok.networks.weights import SHIPPED, load_model

    data, record = (SHIPPED / "weights.safetensors").read_bytes(), json.loads((SHIPPED / "config.json").read_text())
    if rng.random() < 0.5:
        start = 8 + struct.unpack_from("<Q", data)[0]
        place = int(rng.integers(0, start)) if rng.random() < 0.7 else int(rng.integers(start, len(data) - 4))
        data = data[:place] + rng.bytes(4) + data[place + 4 :]
        record["sha256"] = hashlib.sha256(data).hexdigest()
    else:
        kept = record["sha256"]
        record = mutate_json(record, rng)
        record = record | {"sha256": kept} if isinstance(record, dict) else record
    (folder / "weights.safetensors").write_bytes(data)
    (folder / "config.json").write_bytes(write_json(record, rng))
    return load_model(folder)


def try_upload(folder: Path, rng: np.random.Generator) -> object:
    """A stranger's name and bytes, as the page's server takes them."""
    from neurok.files.registry import load
    from neurok.viewer.uploads import find_suffix, make_title

    path = write_damaged(folder, rng)
    name = path.name if rng.random() < 0.5 else NAMES[int(rng.integers(len(NAMES)))]
    make_title(name)
    upload = path.with_name(f"upload{find_suffix(name)}")
    path.rename(upload)
    return load(upload)


def _put_laptop(folder: Path) -> Path:
    for each, data in list_seeds()["a.urdf"].items():
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_bytes(data)
    return folder / "a.urdf"


def _run_verb(*args: str) -> int:
    from neurok.commands.main import main

    return main(list(args))


Trial = Callable[[Path, np.random.Generator], object]
CLASSES: dict[str, Trial] = {
    "file": try_file, "motion": try_motion, "conditions": try_conditions, "command": try_command,
    "weights": try_weights, "upload": try_upload,
}  # fmt: skip
SHARES = {"file": 10, "upload": 4, "motion": 2, "conditions": 2, "command": 2, "weights": 1}  # of 21 cases
ORDER = tuple(name for name, share in SHARES.items() for _ in range(share))


def name_class(number: int) -> str:
    """Of which class a case is."""
    return ORDER[number % len(ORDER)]


def run_case(number: int, seed: int, folder: Path) -> object:
    """One case in an empty folder: an exit code, or what a Python function returned."""
    return CLASSES[name_class(number)](folder, np.random.default_rng([seed, number]))
