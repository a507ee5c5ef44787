"""Models by their configuration."""

from torch import nn

from neurok.networks.basis import SIZES
from neurok.networks.config import Config
from neurok.networks.handles import HandlesModel
from neurok.networks.vae import VaeModel


def build_model(config: Config) -> nn.Module:
    """The untrained model of a configuration.

    A model is called with a batch and gives its loss and figures of each motion; see handles.HandlesModel. Handles
    with a low-rank prior have a closed form; every other pair of decoder and prior is a variational autoencoder.
    """
    if (config.decoder, config.prior) == ("handles", "lowrank"):
        return HandlesModel(SIZES[config.size])
    return VaeModel(config)
