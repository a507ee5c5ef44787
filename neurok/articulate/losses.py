"""What the network is taught: any motion of the set that the search left, then the one that was annotated.

For a set S of motions of one kind and ideas q with shares pi_q:

    loss = -log sum_q pi_q exp(-min over m in S of measure_distance(m, q)),

so that every member of S is as good as any other, and none is picked beforehand.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from neurok.articulate.batches import CandidateBatch, JointBatch
from neurok.articulate.labels import MotionType
from neurok.articulate.network import Answer, ArticulationNetwork, Motions, measure_distance


@dataclass(frozen=True)
class Truths:
    """Labels of the parts of a batch. kind [n]; endless [n]; axis, point [n, 3]; limits [half turns, or box
    diagonals], nan where unknown, [n, 2]; parent: the place of the parent in its shape, -1 for what stays, [n];
    weight [n]. Of the candidates: survives, right [c]; studied: whether a part has any, [n]."""

    kind: Tensor
    endless: Tensor
    axis: Tensor
    point: Tensor
    limits: Tensor
    parent: Tensor
    weight: Tensor
    survives: Tensor
    right: Tensor
    studied: Tensor


def compute_set_loss(motions: Motions, which: Tensor, turns: Tensor, axis: Tensor, point: Tensor, count: int) -> Tensor:
    """The loss above, of each part and kind, [count, 2] (turning, sliding); nan where a part has no such motion.

    which: whose each motion of the sets is, [c]; turns [c]; axis, point [c, 3].
    """
    shares = motions.shares()  # [n, q]
    found = []
    for kind in (True, False):
        mine = torch.nonzero(turns == kind)[:, 0]
        ideas = torch.nonzero(motions.turns == kind)[:, 0]
        owner = which[mine]
        apart = measure_distance(
            turns[mine, None], axis[mine, None], point[mine, None],
            motions.axis[owner][:, ideas], motions.pivot[owner][:, ideas],
        )  # fmt: skip
        least = apart.new_full((count, len(ideas)), torch.inf)
        least = least.scatter_reduce(0, owner[:, None].expand_as(apart), apart, "amin")
        some = torch.isfinite(least[:, 0])
        loss = -(shares[:, ideas] - torch.where(some[:, None], least, 0.0)).logsumexp(-1)
        found.append(torch.where(some, loss, torch.nan))
    return torch.stack(found, dim=-1)


def compute_pretraining_loss(
    network: ArticulationNetwork, batch: JointBatch, tried: CandidateBatch, truths: Truths
) -> dict[str, Tensor]:
    """From the search alone: sets of surviving motions, their types, and which candidates survive."""
    answer = network(batch)
    count = len(truths.kind)
    kept = truths.survives
    sets = compute_set_loss(
        answer.motions, tried.part[kept], tried.turns[kept], tried.axis[kept], tried.pivot[kept], count
    )
    there = ~torch.isnan(sets)  # kinds that a survivor has
    log = answer.type.log_softmax(-1)
    # Whatever survives may be true; where nothing does, the part is fixed.
    open_ = torch.cat([~there.any(-1, keepdim=True), there], dim=-1)
    kind = -log.masked_fill(~open_, -torch.inf).logsumexp(-1)
    motion = torch.where(there, sets, 0.0).sum(-1) / there.sum(-1).clamp(min=1)
    return {
        "type": _weigh_mean(kind, truths.weight * truths.studied),
        "motion": _weigh_mean(motion, truths.weight * there.any(-1)),
        "free": compute_free_loss(network, answer, batch, tried, truths),
    }


def compute_free_loss(
    network: ArticulationNetwork, answer: Answer, batch: JointBatch, tried: CandidateBatch, truths: Truths
) -> Tensor:
    """The cross entropy of which candidates survive."""
    which = tried.part
    logit = network.judge_feasibility(answer.token, batch, which, tried.turns, tried.axis, tried.pivot)
    wanted = truths.survives.to(logit.dtype)
    loss = functional.binary_cross_entropy_with_logits(logit, wanted, reduction="none")
    return _weigh_mean(loss, truths.weight[which])


def compute_annotated_loss(
    network: ArticulationNetwork, batch: JointBatch, tried: CandidateBatch, truths: Truths
) -> dict[str, Tensor]:
    """From annotations: type, the one true motion, its limits, parents, and the right candidates."""
    answer = network(batch)
    count, known = len(truths.kind), truths.kind >= 0
    moves = truths.kind > MotionType.FIXED
    numbers = torch.nonzero(moves)[:, 0]
    sets = compute_set_loss(answer.motions, numbers, truths.kind[numbers] == MotionType.TURNS, truths.axis[numbers],
                    truths.point[numbers], count)  # fmt: skip
    motion = torch.where(truths.kind == MotionType.TURNS, sets[:, 0], sets[:, 1])
    kind = functional.cross_entropy(answer.type, truths.kind.clamp(min=0), reduction="none", label_smoothing=0.03)
    return {
        "type": _weigh_mean(kind, truths.weight * known),
        "motion": _weigh_mean(torch.where(moves, motion, 0.0), truths.weight * moves),
        "limits": compute_limits_loss(answer.motions, truths),
        "parent": compute_parent_loss(answer, batch, truths),
        "judge": compute_judge_loss(network, answer, batch, tried, truths),
        "free": compute_free_loss(network, answer, batch, tried, truths),
    }


def compute_limits_loss(motions: Motions, truths: Truths) -> Tensor:
    """Of the idea nearest to the true motion: its limits about the axis as it points, and whether it has any."""
    numbers = torch.nonzero(truths.kind > MotionType.FIXED)[:, 0]
    if len(numbers) == 0:
        return motions.logit.sum() * 0.0
    axis, turns = truths.axis[numbers], truths.kind[numbers] == MotionType.TURNS
    apart = measure_distance(turns[:, None], axis[:, None], truths.point[numbers, None], motions.axis[numbers],
                     motions.pivot[numbers])  # fmt: skip
    apart = apart.detach().masked_fill(motions.turns[None] != turns[:, None], torch.inf)
    nearest = apart.argmin(-1)
    rows = torch.arange(len(numbers))
    against = (motions.axis[numbers, nearest].detach() * axis).sum(-1) < 0
    wanted = truths.limits[numbers]
    wanted = torch.where(against[:, None], -wanted.flip(-1), wanted)
    bounded = torch.isfinite(wanted).all(-1)
    off = functional.smooth_l1_loss(
        motions.limits[numbers, nearest], torch.nan_to_num(wanted), reduction="none", beta=0.1
    ).sum(-1)
    endless = functional.binary_cross_entropy_with_logits(
        motions.endless[numbers, nearest], truths.endless[numbers].to(off.dtype), reduction="none"
    )
    weight = truths.weight[numbers]
    assert rows.shape == nearest.shape
    return _weigh_mean(off, weight * bounded) + 0.5 * _weigh_mean(endless, weight * turns)


def compute_parent_loss(answer: Answer, batch: JointBatch, truths: Truths) -> Tensor:
    """The loss of the parents of moving parts; all fixed parts count as one parent."""
    there = batch.there
    logit = answer.parent.masked_fill(~torch.cat([there.new_ones(len(there), 1), there], dim=1)[:, None], -1e4)[there]
    parent = functional.cross_entropy(logit, truths.parent + 1, reduction="none")
    return _weigh_mean(parent, truths.weight * (truths.kind > MotionType.FIXED))


def compute_judge_loss(
    network: ArticulationNetwork, answer: Answer, batch: JointBatch, tried: CandidateBatch, truths: Truths
) -> Tensor:
    """-log of the share of exp(score) that is right, among being fixed and all candidates of a part."""
    stays, scores = network.judge_candidates(answer, batch, tried)
    count = len(stays)
    right = scores.masked_fill(~truths.right, -1e4)
    whole = torch.logaddexp(stays, reduce_logsumexp(scores, tried.part, count))
    good = torch.where(truths.kind == MotionType.FIXED, stays, reduce_logsumexp(right, tried.part, count))
    any_right = truths.right.new_zeros(count).index_put((tried.part[truths.right],), torch.tensor(True))
    usable = truths.studied & ((truths.kind == MotionType.FIXED) | any_right)
    return _weigh_mean(torch.where(usable, whole - good, 0.0), truths.weight * usable)


def reduce_logsumexp(values: Tensor, group: Tensor, count: int) -> Tensor:
    """log sum exp of the values [c] of each group, [count]; group: whose each is, [c]."""
    top = values.new_full((count,), -1e4).scatter_reduce(0, group, values.detach(), "amax")
    total = values.new_zeros(count).index_add(0, group, (values - top[group]).exp())
    return top + total.clamp(min=1e-30).log()


def _weigh_mean(values: Tensor, weight: Tensor) -> Tensor:
    weight = weight.to(values.dtype)
    return (values * weight).sum() / weight.sum().clamp(min=1e-9)
