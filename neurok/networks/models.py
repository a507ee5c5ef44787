"""Models by their configuration."""

from typing import TypeAlias

from neurok.networks.basis import BASIS_SIZES
from neurok.networks.config import Config
from neurok.networks.handles import HandlesModel
from neurok.networks.vae import VaeModel

StateSpaceModel: TypeAlias = HandlesModel | VaeModel


def build_model(config: Config) -> StateSpaceModel:
    """The untrained model of a configuration.

    Handles with a low-rank prior have a closed form; every other pair of decoder and prior is a variational
    autoencoder. What models are learned by is in training.losses.
    """
    if (config.decoder, config.prior) == ("handles", "lowrank"):
        return HandlesModel(BASIS_SIZES[config.size])
    return VaeModel(config)
