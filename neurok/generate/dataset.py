"""A data set of generated objects: for each a folder with URDF, MJCF, USD and GLB, and its facts as JSON; and a card.

Objects are told by their place, so that a run that was cut off goes on where it stopped: a folder that is there is
whole, as it is written aside and renamed.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from neurok.errors import InputError, NeurokError
from neurok.files.registry import save
from neurok.generate.delivery import make_content
from neurok.generate.grammar import parse_prompt
from neurok.generate.making import Generated, realise
from neurok.generate.telling import collect_facts

RIGID_FORMATS = (".urdf", ".xml", ".usd", ".glb")
SOFT_FORMATS = (".usd", ".glb")  # simulators' files hold rigid links only
MAX_LINES = 100_000


def read_lines(path: Path) -> list[str]:
    """The prompts of a file, one a line; empty lines and lines that begin with # are none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be read ({fault})", "give a text file with a prompt on each line") from None
    prompts = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not prompts:
        raise InputError(f"{path} holds no prompts", "write one on each line")
    return prompts[:MAX_LINES]


def write_dataset(
    prompts: list[str], count: int, folder: Path, *, seed: int = 0, progress: Callable[[float], None] | None = None
) -> dict[str, object]:
    """Write objects 0 to count - 1, the prompts in turn with ever new seeds; those that are there are kept.

    A prompt that cannot be made is noted with its reason, and so is an object that still fails the gate.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _keep_plan(folder, {"prompts": prompts, "seed": seed})
    for number in range(count):
        place = folder / f"{number:06d}"
        if not place.exists():
            _write_object(prompts[number % len(prompts)], seed + number // len(prompts), place)
        if progress is not None:
            progress((number + 1) / count)
    facts = summarise_dataset(folder, count)
    (folder / "README.md").write_text(write_card(facts, prompts), encoding="utf-8")
    return facts


def _keep_plan(folder: Path, plan: dict[str, object]) -> None:
    """A folder goes on with the prompts and the seed that it was begun with."""
    file = folder / "plan.json"
    if file.exists() and json.loads(file.read_text(encoding="utf-8")) != plan:
        raise InputError(f"{folder} was begun with other prompts or another seed", "name another folder")
    file.write_text(json.dumps(plan, indent=1), encoding="utf-8")


def _write_object(text: str, seed: int, place: Path) -> None:
    aside = place.with_name(f".{place.name}")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    try:
        made = realise(parse_prompt(text), seed)
    except NeurokError as fault:
        facts: dict[str, object] = {"text": text, "seed": seed, "refused": str(fault)}
    else:
        facts = collect_facts(made)
        for suffix in list_formats(made):
            save(make_content(made, suffix), aside / f"object{suffix}")
    (aside / "object.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
    aside.rename(place)


def list_formats(made: Generated) -> tuple[str, ...]:
    return SOFT_FORMATS if made.made.thing.is_soft else RIGID_FORMATS


def summarise_dataset(folder: Path, count: int) -> dict[str, object]:
    """Counts over the objects of a data set."""
    rows = [json.loads((folder / f"{n:06d}" / "object.json").read_text(encoding="utf-8")) for n in range(count)]
    made = [row for row in rows if "refused" not in row]
    return {
        "objects": len(made),
        "refused": len(rows) - len(made),
        "failing": sum(bool(row["faults"]) for row in made),
        "drawn_again": sum(row["redraws"] > 0 for row in made),
        "joints": sum(len(row["joints"]) for row in made),
        "kinds": dict(sorted(Counter(row["kind"] for row in made).items())),
        "asked": sum(len(row["asked"]) for row in made),
        "met": sum(sum(a["met"] for a in row["asked"]) for row in made),
    }


def write_card(facts: dict[str, object], prompts: list[str]) -> str:
    """The data set's page."""
    kinds = facts["kinds"]
    assert isinstance(kinds, dict)
    listed = ", ".join(f"{kind.replace('_', ' ')} {number}" for kind, number in kinds.items())
    return f"""# Generated objects

{facts["objects"]} objects with {facts["joints"]} joints, made from {len(prompts)} prompts by `neurok data generate`.
{facts["refused"]} prompts could not be made; {facts["failing"]} objects fail the gate (joint sweep, settling,
limits), and their facts say how; {facts["drawn_again"]} were drawn again to pass it. {facts["met"]} of {facts["asked"]}
attributes are met by the generator's own account.

Each folder holds `object.urdf`, `object.xml` (MJCF), `object.usd` and `object.glb` (soft objects: the last two) and
`object.json`: the text, what was asked, met and assumed, materials with densities [kg/m^3], and joints with limits.
Angles are in radians, lengths in metres.
Masses are volumes times densities. Shapes are made by programs, not scanned; licence: Apache-2.0.

Kinds: {listed}.
"""
