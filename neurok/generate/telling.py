"""What is said of a generated object: what was asked, met, not met, ignored and assumed."""

from neurok.generate.making import Generated


def describe_result(found: Generated) -> list[str]:
    """Lines for people."""
    thing = found.made.thing
    moves = len(thing.names)
    size = " x ".join(f"{side * 100:.3g}" for side in thing.mesh.vertices.max(0) - thing.mesh.vertices.min(0))
    lines = [f"{found.kind.replace('_', ' ')}, seed {found.seed}: {size} cm, {moves} coordinates"]
    for label, attributes in (("met", found.met), ("not met", found.unmet)):
        if attributes:
            lines.append(f"  {label}: {'; '.join(a.describe() for a in attributes)}")
    if found.request.ignored:
        lines.append(f"  not understood: {', '.join(found.request.ignored)}")
    if found.assumed:
        lines.append(f"  assumed: {'; '.join(found.assumed)}")
    if found.redraws:
        lines.append(f"  drawn again {found.redraws} times, as what was drawn failed the check")
    lines += [f"  fails its check: {fault}" for fault in found.faults]
    return lines


def collect_facts(found: Generated) -> dict[str, object]:
    """What a program wants to know: the text, the kind, attributes, materials with densities, and joints."""
    from neurok.generate.looks import find_density, find_substance

    thing, articulation = found.made.thing, found.articulation
    lower, upper = thing.limits
    used = {int(row) for row in thing.mesh.face_material}
    return {
        "text": found.request.text,
        "kind": found.kind,
        "seed": found.seed,
        "asked": [_list_attribute(found, a) for a in found.request.attributes],
        "ignored": list(found.request.ignored),
        "assumed": list(found.assumed),
        "faults": list(found.faults),
        "redraws": found.redraws,
        "soft": thing.is_soft,
        "mass": sum(link.inertia.mass for link in articulation.links if link.inertia is not None),
        "materials": sorted(
            {
                (m.name, find_substance(m) or "", find_density(m))
                for row, m in enumerate(thing.mesh.materials) if row in used
            }
        ),
        "joints": [{"name": n, "lower": a, "upper": b} for n, a, b in zip(thing.names, lower, upper)],
    }  # fmt: skip


def _list_attribute(found: Generated, attribute: object) -> dict[str, object]:
    from dataclasses import asdict, is_dataclass

    assert is_dataclass(attribute) and not isinstance(attribute, type)
    return {**asdict(attribute), "met": attribute in found.met}
