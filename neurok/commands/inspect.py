"""neurok inspect: the input doctor speaks."""

from dataclasses import asdict, dataclass
from math import degrees, inf, isinf
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional

from neurok.commands.options import PLAIN_FLAG, AllowOutside, UpAxis, hint, word

MAX_LISTED = 20  # joints, clips or materials named one by one


@dataclass(frozen=True)
class Inspect:
    """Say what a file holds, what is wrong with it, and what will be done about it."""

    input: Positional[Annotated[str, word("INPUT"), hint()]]
    """any file, PartNet-Mobility folder or zip that is read"""
    up: UpAxis = "auto"
    allow_outside: AllowOutside = False
    json: Annotated[FlagCreatePairsOff[bool], PLAIN_FLAG] = False
    """print one JSON object instead of sentences"""

    def run(self) -> None:
        from neurok.commands.files import turn_upright
        from neurok.commands.say import progress, say, say_json
        from neurok.files.doctor import examine
        from neurok.files.registry import load_unchecked

        with progress("reading"):
            asset = load_unchecked(self.input, allow_outside=self.allow_outside)
        path = Path(self.input)
        suffix = ".urdf" if path.is_dir() or path.suffix.lower() == ".zip" else path.suffix.lower()
        with progress("examining"):
            diagnosis = examine(turn_upright(asset, self.input, self.up), suffix)
        if self.json:
            findings = [asdict(finding) for finding in diagnosis.findings]
            say_json({"input": self.input} | diagnosis.facts | {"findings": findings})
            return
        for line in (f"{path.name or self.input}:", *_describe_facts(diagnosis.facts)):
            say(line)
        say()
        if not diagnosis.findings:
            say("nothing is wrong with it")
        for finding in diagnosis.findings:
            say(f"{finding.severity}: {finding.problem}")
            say(f"    -> {finding.action}")


def _describe_facts(facts: dict[str, Any]) -> list[str]:
    from neurok.commands.say import counted

    vertices, faces = counted(facts["vertices"], "vertex", "vertices"), counted(facts["faces"], "face")
    parts = f", {counted(len(facts['parts']), 'named part')}" if facts["parts"] else ""
    lines = [f"  {vertices}, {faces}{parts}"]
    if "bounds" in facts:
        lines += _describe_extent(facts)
    if "components" in facts:
        closed = "closed" if facts["closed"] else "two-sided" if facts["two_sided"] else "open"
        volume = f", volume {facts['volume']:.4g}" if facts["volume"] is not None else ""
        pieces = counted(facts["components"], "component")
        lines.append(f"  {pieces}, {closed} surface, area {facts['area']:.4g}{volume}")
        if facts["split_vertices"]:
            seams = counted(facts["split_vertices"], "vertex", "vertices")
            lines.append(f"  {seams} at the place of another (seams); all are kept in order")
    for kind, words in (
        ("materials", _describe_material),
        ("animations", _describe_animation),
        ("joints", _describe_joint),
    ):
        found = facts[kind]
        lines.append(f"  {kind}: {len(found) or 'none'}")
        lines += [f"    {words(item)}" for item in found[:MAX_LISTED]]
        if len(found) > MAX_LISTED:
            lines.append(f"    and {len(found) - MAX_LISTED} more (--json lists all)")
    return lines


def _describe_extent(facts: dict[str, Any]) -> list[str]:
    lower, upper = (", ".join(f"{x:.4g}" for x in corner) for corner in facts["bounds"])
    return [
        f"  from ({lower}) to ({upper}), diagonal {facts['diagonal']:.4g}",
        f"  unit: {facts['metres_per_unit']:g} m ({facts['unit_reason']}), so {facts['diagonal_metres']:.4g} m across",
        f"  up: {facts['up']} ({_explain_up(facts)})",
    ]


def _explain_up(facts: dict[str, Any]) -> str:
    if facts["up"] == facts["up_guess"]:
        return facts["up_reason"]
    return f"but it looks like {facts['up_guess']}: {facts['up_reason']}"


def _describe_material(material: dict[str, Any]) -> str:
    textures = f" with {', '.join(material['textures'])} textures" if material["textures"] else ""
    name = f"'{material['name']}'" if material["name"] else "one without a name"
    return f"{name} on {material['faces']:,} face{'' if material['faces'] == 1 else 's'}{textures}"


def _describe_animation(clip: dict[str, Any]) -> str:
    bones = f" with {clip['bones']} bones" if "bones" in clip else ""
    return f"'{clip['name']}': {clip['frames']} frames, {clip['seconds']:.4g} s, {clip['kind']}{bones}"


def _describe_joint(joint: dict[str, Any]) -> str:
    text = f"'{joint['name']}' {joint['kind']}: {joint['parent']} -> {joint['child']}"
    if "limits" in joint:
        low, high = joint["limits"]
        if (low, high) == (-inf, inf):
            text += ", without limits"
        elif joint["unit"] == "rad":
            text += f", {_format_angle(low)} to {_format_angle(high)} degrees"
        else:
            text += f", {low:.4g} to {high:.4g} m"
    return text + (f", follows '{joint['mimics']}'" if "mimics" in joint else "")


def _format_angle(radians: float) -> str:
    return f"{radians:g}" if isinf(radians) else f"{degrees(radians):.1f}"
