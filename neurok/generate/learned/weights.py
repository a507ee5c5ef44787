"""The weights of the learned generator: three networks in one file, with what else is needed to draw objects."""

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from neurok.errors import InputError
from neurok.networks.part_code import CodeSize, PartCoder
from neurok.networks.part_flow import FlowSize, PartFlow
from neurok.networks.weights import put_weights, read_weights

SHIPPED = Path(__file__).parents[2] / "weights" / "objects"


@dataclass(frozen=True)
class LearnedModel:
    """coder: codes of parts; layouts, codes: the flows. kinds: by number, with metres per unit of each; materials: what
    codes tell apart. real_kinds: those of which real objects were seen."""

    coder: PartCoder
    layouts: PartFlow
    codes: PartFlow
    kinds: dict[str, float]
    materials: tuple[str, ...]
    real_kinds: tuple[str, ...]

    def find_number(self, kind: str) -> int:
        return [*self.kinds].index(kind)


def save_model(folder: Path, model: LearnedModel, facts: dict[str, Any]) -> None:
    """Write in half precision, the record that names the hash last."""
    parts: dict[str, nn.Module] = {"coder": model.coder, "layouts": model.layouts, "codes": model.codes}
    state = {f"{part}.{name}": value.half() for part, net in parts.items() for name, value in net.state_dict().items()}
    record = {
        "coder": asdict(model.coder.size), "layouts": asdict(model.layouts.size), "codes": asdict(model.codes.size),
        "kinds": [[kind, scale] for kind, scale in model.kinds.items()], "materials": list(model.materials),
        "real_kinds": list(model.real_kinds), **facts,
    }  # fmt: skip
    put_weights(folder, state, record)


@cache
def load_learned(folder: Path = SHIPPED) -> LearnedModel:
    """The model of a folder, ready to draw."""
    state, record = read_weights(folder)
    try:
        coder = PartCoder(CodeSize(**record["coder"]))
        layouts, codes = PartFlow(FlowSize(**record["layouts"])), PartFlow(FlowSize(**record["codes"]))
        kinds = {str(kind): float(scale) for kind, scale in record["kinds"]}
        materials, real = tuple(map(str, record["materials"])), tuple(map(str, record["real_kinds"]))
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{folder} holds no weights of the learned generator", "name another folder") from None
    for name, net in (("coder", coder), ("layouts", layouts), ("codes", codes)):
        _fill(net, state, name, folder)
    return LearnedModel(coder, layouts, codes, kinds, materials, real)


def _fill(net: nn.Module, state: dict[str, Tensor], name: str, folder: Path) -> None:
    own = {key.removeprefix(f"{name}."): value.float() for key, value in state.items() if key.startswith(f"{name}.")}
    wanted = net.state_dict()
    if set(own) != set(wanted) or any(own[k].shape != wanted[k].shape for k in wanted):
        raise InputError(f"the weights in {folder} do not fit what their record names", "take both files anew")
    if not all(bool(torch.isfinite(value).all()) for value in own.values()):
        raise InputError(f"the weights in {folder} hold numbers that are not finite", "take them anew")
    net.load_state_dict(own)
    net.eval().requires_grad_(False)
