"""Objects drawn by the learned model: layouts, then the codes of their parts, then surfaces, then the gate."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from neurok.data.procedural.procedural import ProceduralObject
from neurok.errors import InputError, NeurokError
from neurok.generate.gate import find_gate_faults
from neurok.generate.learned.assembling import assemble_object
from neurok.generate.learned.fields import decode_grids
from neurok.generate.learned.layout import MAX_PARTS, Layout, name_kind
from neurok.generate.learned.rows import LAYOUT_WIDTH, read_rows, write_rows
from neurok.generate.learned.trimming import shape_parts
from neurok.generate.learned.weights import LearnedModel, load_learned
from neurok.generate.making import Generated
from neurok.generate.measuring import MadeObject
from neurok.generate.programs import read_card
from neurok.generate.request import Request
from neurok.networks.part_flow import follow_flow

MAX_DRAWS = 8  # objects of a request until one passes the gate
BATCH = 4  # drawn together
STEPS = 16  # of the flow, each of two evaluations
GUIDANCE = 1.5
SOURCES = {"made": 0, "partnet": 1, "articulated": 2}


@dataclass(frozen=True)
class DrawnObject:
    """One draw: the layout as drawn, the object, and its faults in the gate; no object where the draw was none."""

    layout: Layout | None
    thing: ProceduralObject | None
    faults: tuple[str, ...]


def draw_layouts(
    model: LearnedModel, kinds: Sequence[str], source: str, seed: int, *, guidance: float = GUIDANCE
) -> list[Layout | None]:
    """A layout with codes for each kind; None where rows are no object."""
    generator = torch.Generator().manual_seed(seed)
    kind = torch.tensor([model.find_number(each) for each in kinds])
    origin = torch.full_like(kind, SOURCES[source])
    noise = torch.randn(len(kinds), MAX_PARTS, LAYOUT_WIDTH, generator=generator)
    code_noise = torch.randn(len(kinds), MAX_PARTS, model.codes.size.features, generator=generator)
    with torch.inference_mode():
        rows = follow_flow(model.layouts, noise, kind, origin, steps=STEPS, guidance=guidance).double().numpy()
        plain = [read_rows(row, np.zeros((MAX_PARTS, 0))) for row in rows]
        known = np.stack([np.zeros((MAX_PARTS, LAYOUT_WIDTH)) if one is None else write_rows(one) for one in plain])
        codes = follow_flow(
            model.codes, code_noise, kind, origin, torch.from_numpy(known).float(), steps=STEPS, guidance=guidance
        )
    return [
        None if one is None else replace(one, code=told[: one.count])
        for one, told in zip(plain, codes.double().numpy())
    ]


def realise_layout(model: LearnedModel, layout: Layout | None, kind: str, seed: int) -> DrawnObject:
    """The object of a layout, tried in the gate."""
    if layout is None:
        return DrawnObject(None, None, ("the draw has no moving part",))
    grids = decode_grids(model.coder, layout)
    if grids is None:
        return DrawnObject(layout, None, ("a part has no surface",))
    shaped = shape_parts(layout, grids)
    if shaped is None:
        return DrawnObject(layout, None, ("a part cannot move, or lies far from its parent",))
    try:
        thing = assemble_object(shaped, model.coder, model.materials, kind=kind, scale=model.kinds[kind], seed=seed)
        faults = find_gate_faults(thing)
    except NeurokError as fault:  # what cannot even be written or loaded has failed the gate
        return DrawnObject(shaped.layout, None, (str(fault),))
    return DrawnObject(shaped.layout, thing, tuple(faults))


def choose_kind(model: LearnedModel, request: Request) -> tuple[str, str]:
    """A kind that was meant, and what the model calls it; an error where it knows none of those that were meant."""
    for each in request.kinds:
        if name_kind(each) in model.kinds and not read_card(each).soft:
            return each, name_kind(each)
    raise InputError(
        f"the learned model cannot make a {request.name}", "leave out --model: the programs know more kinds"
    )


def realise_learned(request: Request, seed: int) -> Generated:
    """The first object of the learned model that passes the gate, else the best there was.

    It knows kinds alone: all else that is asked stays unmet, and is said so.
    """
    model = load_learned()
    meant, kind = choose_kind(model, request)
    source = "partnet" if kind in model.real_kinds else "made"
    start = zlib.crc32(f"{kind} {seed}".encode())
    tried: list[DrawnObject] = []
    for first in range(0, MAX_DRAWS, BATCH):
        for layout in draw_layouts(model, [kind] * BATCH, source, start + first):
            tried.append(realise_layout(model, layout, kind, seed))
            if tried[-1].thing is not None and not tried[-1].faults:
                return _report(request, (meant, kind), tried[-1], seed, len(tried) - 1)
    whole = [one for one in tried if one.thing is not None]
    if not whole:
        raise InputError(
            f"none of {MAX_DRAWS} draws of the learned model was an object",
            "ask for another --seed, or leave out --model",
        )
    return _report(request, (meant, kind), min(whole, key=lambda one: len(one.faults)), seed, len(tried) - 1)


def _report(request: Request, kinds: tuple[str, str], drawn: DrawnObject, seed: int, redraws: int) -> Generated:
    """kinds: what was meant, and what the model calls it, which may be wider."""
    assert drawn.thing is not None
    meant, kind = (each.replace("_", " ") for each in kinds)
    made = MadeObject(drawn.thing, (), read_card(kinds[0]))
    wider = () if meant == kind else (f"a {kind}, since the learned model does not tell a {meant} from others",)
    assumed = (*wider, "the learned model's choice: all but the kind")
    return Generated(request, made, seed, (), request.attributes, assumed, drawn.faults, redraws)
