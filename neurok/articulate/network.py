"""The network that says how parts move: part and shape tokens, attention between them, queries, heads.

    points of a part -> part token --+-- attention among all parts and patches --> context token of each part
    patches of the shape -> tokens --+                                               |
    queries (each one idea: turn or slide along x, y, z, through one side of the box) look at the part's points
        -> motions: axis, pivot, limits, and how likely each is
    context token -> type; pairs of context tokens -> parent

`judge` scores the candidates of the search as well, from their features and from all that the network knows.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.articulate.batches import (
    BOX_FEATURES,
    MOTION_FEATURES,
    PAIR_FEATURES,
    POINT_FEATURES,
    CandidateBatch,
    JointBatch,
)
from neurok.geometry.arrays import Array
from neurok.networks.attention import AttentionBlock, Perceptron

# Set by hand, never measured; the shipped weights were trained with them.
IDEA_WIDTH = 64
AXIS_SCALE, LINE_SCALE = 0.10, 0.03  # sine of the angle, and diagonals, by which a motion's likelihood falls to 1/e


@dataclass(frozen=True)
class ArticulationSize:
    """candidate_features, part_features: how many the search has of a candidate and of a part."""

    width: int
    heads: int
    layers: int
    candidate_features: int
    part_features: int


@dataclass(frozen=True)
class Motions:
    """The ideas of each part's motion. turns: [q]; logit: of each among those of its kind, [n, q]; axis: unit,
    [n, q, 3]; pivot: [n, q, 3]; limits: about the axis as it points [half turns, or box diagonals], [n, q, 2];
    endless: logit of turning without limits, [n, q]."""

    turns: Tensor
    logit: Tensor
    axis: Tensor
    pivot: Tensor
    limits: Tensor
    endless: Tensor

    def shares(self) -> Tensor:
        """log of the share of each idea among those of its kind, [n, q]."""
        turning = self.logit.masked_fill(~self.turns, -torch.inf).log_softmax(-1)
        sliding = self.logit.masked_fill(self.turns, -torch.inf).log_softmax(-1)
        return torch.where(self.turns, turning, sliding)


@dataclass(frozen=True)
class Answer:
    """type: logits of being fixed, turning, sliding, [n, 3]; motions; parent: logits of the base, then of each part of
    the same shape, [b, p, 1 + p]; token: [n, w]."""

    type: Tensor
    motions: Motions
    parent: Tensor
    token: Tensor


class ArticulationNetwork(nn.Module):
    def __init__(self, size: ArticulationSize) -> None:
        super().__init__()
        w, self.size = size.width, size
        self.point = Perceptron(len(POINT_FEATURES), 64, w)
        self.patch = Perceptron(6, 48, w)
        self.part = nn.Linear(2 * w + len(BOX_FEATURES), w)
        self.place = nn.Linear(6, w)
        self.whole = nn.Parameter(torch.randn(w) * 0.02)
        self.pair = Perceptron(len(PAIR_FEATURES), 32, size.heads)
        self.context = nn.ModuleList(AttentionBlock(w, size.heads) for _ in range(size.layers))
        self.queries = Queries(w, size.heads)
        self.kinds = Perceptron(w + IDEA_WIDTH, w, 3)
        self.parents = ParentHead(w, 24)
        self.free = Perceptron(len(MOTION_FEATURES) + w, w, 1)
        self.judge = Judge(size)

    def forward(self, batch: JointBatch) -> Answer:
        features = self.point(batch.point_features())  # [n, k, w]
        pooled = torch.cat([features.amax(1), features.mean(1), batch.box_features()], dim=-1)
        token = self.part(pooled)
        token, padded, pairs = self._attend_parts(token, batch)
        motions, ideas = self.queries(token, features, batch)
        kind = self.kinds(torch.cat([token, ideas], dim=-1))
        return Answer(kind, motions, self.parents(padded, pairs), token)

    def _attend_parts(self, token: Tensor, batch: JointBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens that have looked at all parts and patches of their shape, [n, w]; padded, [b, p, w]; pair features."""
        patches = self.patch(batch.patches).amax(2) + self.place(batch.patch_places())
        shapes, most = batch.there.shape
        padded = token.new_zeros(shapes, most, token.shape[1])
        padded[batch.there] = token
        x = torch.cat([padded, patches, self.whole.expand(shapes, 1, -1)], dim=1)
        pairs = batch.pair_features()
        bias = x.new_zeros(shapes, self.size.heads, x.shape[1], x.shape[1])
        bias[:, :, :most, :most] = self.pair(pairs).permute(0, 3, 1, 2)
        missing = torch.cat([~batch.there, batch.there.new_zeros(shapes, x.shape[1] - most)], dim=1)
        bias = bias.masked_fill(missing[:, None, None], -1e4)
        for block in self.context:
            x = block(x, bias=bias)
        padded = x[:, :most]
        return padded[batch.there], padded, pairs

    def judge_feasibility(
        self, token: Tensor, batch: JointBatch, which: Tensor, turns: Tensor, axis: Tensor, pivot: Tensor
    ) -> Tensor:
        """Logits that motions of parts `which` [c] neither collide nor come away, [c]."""
        motion = batch.motion_features(which, turns, axis, pivot)
        return self.free(torch.cat([motion, token[which]], dim=-1))[:, 0]

    def judge_candidates(self, answer: Answer, batch: JointBatch, tried: CandidateBatch) -> tuple[Tensor, Tensor]:
        """Scores of being fixed [n] and of every candidate [c], from the search's features and the network's tokens."""
        return self.judge(self, answer, batch, tried)


class Queries(nn.Module):
    """Learned ideas of motion. Each has a home: an axis, and for turns a place in the part's box across it."""

    turns: Tensor
    axis: Tensor
    place: Tensor

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        turns, axis, place = place_ideas()
        self.register_buffer("turns", turns, persistent=False)
        self.register_buffer("axis", axis, persistent=False)
        self.register_buffer("place", place, persistent=False)
        self.idea = nn.Parameter(torch.randn(len(turns), IDEA_WIDTH) * 0.5)
        self.token, self.point = nn.Linear(width, IDEA_WIDTH), nn.Linear(width, IDEA_WIDTH)
        self.look = AttentionBlock(IDEA_WIDTH, heads, 2, cross=True)
        self.discuss = AttentionBlock(IDEA_WIDTH, heads, 2)
        self.out = nn.Linear(IDEA_WIDTH, 10)
        nn.init.normal_(self.out.weight, std=0.02)
        nn.init.zeros_(self.out.bias)

    def forward(self, token: Tensor, features: Tensor, batch: JointBatch) -> tuple[Motions, Tensor]:
        x = self.idea + self.token(token)[:, None]
        x = self.look(x, self.point(features))
        x = self.discuss(x)
        found = self.out(x)
        axis = functional.normalize(self.axis + found[..., 1:4], dim=-1)
        middle, half = batch.middle[:, None], batch.half[:, None]
        pivot = middle + half * self.place + found[..., 4:7] * batch.reach[:, None, None]
        motions = Motions(self.turns, found[..., 0], axis, pivot, found[..., 7:9], found[..., 9])
        return motions, x.mean(1)


def place_ideas() -> tuple[Tensor, Tensor, Tensor]:
    """Where ideas start: turning about each axis through the middle or one of four sides, two free turns; sliding
    along each axis, one free slide. [q], [q, 3], [q, 3]."""
    eye, middle = torch.eye(3), torch.zeros(3)
    homes = []
    for k in range(3):
        b, c = eye[(k + 1) % 3], eye[(k + 2) % 3]
        homes += [(True, eye[k], spot) for spot in (middle, b, -b, c, -c)]
    homes += [(True, 0.1 * eye[k], middle) for k in (2, 0)]
    homes += [(False, eye[k], middle) for k in range(3)]
    homes += [(False, 0.1 * eye[0], middle)]
    turns, axis, place = zip(*homes)
    return torch.tensor(turns), torch.stack(axis), torch.stack(place)


class ParentHead(nn.Module):
    """Scores of ordered pairs of parts of one shape, and of each part with nothing, first: [b, p, 1 + p]."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.mine, self.theirs = nn.Linear(width, inner), nn.Linear(width, inner)
        self.between = nn.Linear(len(PAIR_FEATURES), inner)
        self.score = Perceptron(inner, inner, 1)
        self.none = nn.Linear(width, 1)

    def forward(self, padded: Tensor, pairs: Tensor) -> Tensor:
        mixed = self.mine(padded)[:, :, None] + self.theirs(padded)[:, None] + self.between(pairs)
        return torch.cat([self.none(padded), self.score(torch.relu(mixed))[..., 0]], dim=-1)


class Standardiser(nn.Module):
    """x -> (x - mean) / deviation, within five deviations; of features [n, f]."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, count: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(count))
        self.register_buffer("deviation", torch.ones(count))

    def forward(self, features: Tensor) -> Tensor:
        return ((features - self.mean) / self.deviation).clamp(-5, 5)

    def fit(self, features: Array) -> None:
        """Take mean and deviation from features [n, f]."""
        self.mean.copy_(torch.from_numpy(features.mean(axis=0)))
        self.deviation.copy_(torch.from_numpy(features.std(axis=0) + 1e-3))


class Judge(nn.Module):
    """Scores candidates: each from its features, its place and the network's opinion of it; then parts hear of the
    best of each other's candidates, and scores are corrected by what they heard."""

    def __init__(self, size: ArticulationSize) -> None:
        super().__init__()
        w = size.width
        self.candidate_scale, self.part_scale = Standardiser(size.candidate_features), Standardiser(size.part_features)
        self.part = Perceptron(size.part_features + w + 3, w, 48)
        self.candidate = Perceptron(size.candidate_features + len(MOTION_FEATURES) + 3 + 48, w, 64)
        self.first = nn.Linear(64, 1)
        self.tell = nn.Linear(48 + 64 + 1, 64)
        self.hear = AttentionBlock(64, 4, 2)
        self.pair = Perceptron(len(PAIR_FEATURES), 24, 4)
        self.second = Perceptron(64 + 64, 64, 1)
        self.stays = Perceptron(48 + 64, 48, 1)
        self.drop = nn.Dropout(0.1)

    def forward(
        self, network: ArticulationNetwork, answer: Answer, batch: JointBatch, tried: CandidateBatch
    ) -> tuple[Tensor, Tensor]:
        which = tried.part
        opinion = answer.type.log_softmax(-1).detach()
        features = self.drop(self.candidate_scale(tried.features))
        own = self.drop(self.part_scale(tried.part_features))
        part = torch.relu(self.part(torch.cat([own, self.drop(answer.token), opinion], dim=-1)))
        like = compute_likelihood(answer.motions, which, tried.turns, tried.axis, tried.pivot).detach()
        kind = opinion[which, torch.where(tried.turns, 1, 2)]
        free = network.judge_feasibility(answer.token, batch, which, tried.turns, tried.axis, tried.pivot).detach()
        motion = batch.motion_features(which, tried.turns, tried.axis, tried.pivot)
        views = torch.stack([like.clamp(min=-12) / 4, kind.clamp(min=-8) / 3, free.clamp(-6, 6) / 3], dim=-1)
        h = torch.relu(self.candidate(torch.cat([features, motion, self.drop(views), part[which]], dim=-1)))
        first = self.first(self.drop(h))[:, 0]
        # The best candidates of each part, mixed by their first scores.
        top = first.new_full((len(part),), -1e4).scatter_reduce(0, which, first.detach(), "amax")
        weight = (first - top[which]).exp()
        total = weight.new_zeros(len(part)).index_add(0, which, weight).clamp(min=1e-9)
        mixed = h.new_zeros(len(part), h.shape[1]).index_add(0, which, weight[:, None] * h) / total[:, None]
        heard = self._exchange_parts(
            self.tell(torch.cat([part, mixed, top.clamp(min=-20)[:, None] / 5], dim=-1)), batch
        )
        second = self.second(torch.cat([h, heard[which]], dim=-1))[:, 0]
        stays = self.stays(torch.cat([part, heard], dim=-1))[:, 0]
        return stays, first + second

    def _exchange_parts(self, x: Tensor, batch: JointBatch) -> Tensor:
        padded = x.new_zeros(*batch.there.shape, x.shape[1])
        padded[batch.there] = x
        bias = self.pair(batch.pair_features()).permute(0, 3, 1, 2)
        bias = bias.masked_fill(~batch.there[:, None, None], -1e4)
        return self.hear(padded, bias=bias)[batch.there]


def compute_likelihood(motions: Motions, which: Tensor, turns: Tensor, axis: Tensor, pivot: Tensor) -> Tensor:
    """log sum over ideas of (share x exp(-distance)) of motions [c] of parts `which` [c], among their kind, [c]."""
    ideas = (motions.axis[which], motions.pivot[which])
    apart = measure_distance(turns[:, None], axis[:, None], pivot[:, None], *ideas)
    same = motions.turns[None] == turns[:, None]
    return (motions.shares()[which] - apart).masked_fill(~same, -torch.inf).logsumexp(-1)


def measure_distance(turns: Tensor, axis: Tensor, point: Tensor, other_axis: Tensor, other_point: Tensor) -> Tensor:
    """How far a motion (other) is from a true one: sine of the angle between the axes over AXIS_SCALE, and where it
    turns the other's pivot's distance from the true axis over LINE_SCALE. Axes have no sense here."""
    cosine = (axis * other_axis).sum(-1)
    sine = (1.0 - cosine.square()).clamp(min=1e-6).sqrt()
    arm = other_point - point
    off = arm - (arm * axis).sum(-1, keepdim=True) * axis
    line = (off.square().sum(-1) + 1e-8).sqrt()
    return sine / AXIS_SCALE + torch.where(turns, line / LINE_SCALE, torch.zeros_like(line))
