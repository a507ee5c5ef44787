"""How a model does on objects that it was not trained on: figures of each motion, by source."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from neurok.data.augment import NO_AUGMENTATION
from neurok.data.pairs import PairReader, Reading
from neurok.data.prepared import Prepared
from neurok.networks.config import Config
from neurok.networks.models import StateSpaceModel
from neurok.training import loop
from neurok.training.losses import compute_loss

BATCH_SHAPES = 8  # shapes


class HeldOutViews:
    """The views of a split, each once and unchanged, kept in memory (a few hundred)."""

    def __init__(self, data: Prepared, how: Reading, split: str = "dev", most: int = 256, device: str = "cpu") -> None:
        pairs = PairReader(data, replace(how, augmentation=NO_AUGMENTATION, repeats={}), split)
        # Taken in turn from each source, so that few of many still show all of them.
        rank: dict[str, int] = {}
        order = []
        for view in pairs.visits.tolist():
            source = data.entries[view]["source"]
            rank[source] = rank.get(source, 0) + 1
            order.append((rank[source], view))
        pairs.visits = np.array([view for _, view in sorted(order)[:most]])
        visits = [(0, place, int(view)) for place, view in enumerate(pairs.order(0))]
        self.sources = [data.entries[view]["source"] for _, _, view in visits]
        starts = range(0, len(visits), BATCH_SHAPES)
        self.batches = [loop.to_tensors(pairs.batch(visits[i : i + BATCH_SHAPES]), device) for i in starts]

    @torch.inference_mode()
    def figures(self, model: StateSpaceModel, config: Config) -> dict[str, float]:
        """Medians of the model's figures over all motions, named 'source/figure'."""
        gathered: dict[str, list[Tensor]] = {}
        for batch in self.batches:
            for name, value in compute_loss(model, batch, config)[1].items():
                gathered.setdefault(name, []).append(value.cpu())
        result = {}
        for source in sorted(set(self.sources)):
            mine = torch.tensor([s == source for s in self.sources])
            for name, values in gathered.items():
                result[f"{source}/{name}"] = float(torch.cat(values)[mine].median())
        return result
