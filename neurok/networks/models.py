"""Models by their configuration."""

from typing import Any

from torch import nn

from neurok.errors import OptionError
from neurok.networks.basis import SIZES
from neurok.networks.handles import HandlesModel


def build_model(config: Any) -> nn.Module:
    """The untrained model of a training.config.Config.

    A model is called with a batch and gives its loss and figures of each motion; see handles.HandlesModel.
    """
    if (config.decoder, config.prior) == ("handles", "lowrank"):
        return HandlesModel(SIZES[config.size])
    raise OptionError(f"the decoder '{config.decoder}' with the prior '{config.prior}'", "use handles with lowrank")
