"""From a picture to an object like the one in it: what is told becomes a request, the search an object, the gate a
delivery."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from neurok.errors import unknown
from neurok.files.renderer import Renderer
from neurok.generate.gate import find_gate_faults
from neurok.generate.kinds import list_kinds
from neurok.generate.making import MAX_REDRAWS, Generated, report_result
from neurok.generate.parts import singular
from neurok.generate.pictures.backbone import load_backbone
from neurok.generate.pictures.colours import list_main_colours
from neurok.generate.pictures.everyday import rate_everyday
from neurok.generate.pictures.heads import SHIPPED, PictureHeads, PictureOpinion, load_heads
from neurok.generate.pictures.observation import observe_pictures
from neurok.generate.pictures.reading import FRAME_SIDE, Subject, read_subject
from neurok.generate.pictures.synthesis import Candidate, PictureMatcher, colour, search
from neurok.generate.request import Attribute, Request

SURE_KIND = 0.5  # chance from which a kind is said without doubt
SURE_ANSWER = 0.5  # chance from which an answer becomes a wish


@dataclass(frozen=True)
class PictureFindings:
    """What was taken from a picture: its subject, what the network says, the chosen kind with its chance, attributes
    with theirs, and the main colours. given: whether a person named the kind."""

    name: str
    subject: Subject = field(repr=False)
    opinion: PictureOpinion = field(repr=False)
    kind: str
    given: bool
    attributes: tuple[tuple[Attribute, float], ...]
    colours: tuple[str, ...]

    @property
    def is_sure(self) -> bool:
        return self.given or self.opinion.chances[self.kind] >= SURE_KIND

    @property
    def likeliest(self) -> list[tuple[str, float]]:
        return [*self.opinion.chances.items()][:3]

    @property
    def request(self) -> Request:
        name = self.kind.replace("_", " ")
        return Request(
            f"a {name} like the one in {self.name}", (self.kind,), name, tuple(a for a, _ in self.attributes)
        )


@dataclass(frozen=True)
class PicturedObject:
    """What was taken from a picture and the object; overlap: how alike the outlines are, from 0 to 1."""

    findings: PictureFindings
    made: Generated
    overlap: float


def look_at_picture(path: str | Path, *, kinds: Sequence[str] = (), weights: Path = SHIPPED) -> PictureFindings:
    """What a picture shows; kinds: what a person says that it is, one of these."""
    for kind in kinds:
        if kind not in list_kinds():
            raise unknown("kind", kind, list_kinds())
    subject = read_subject(path)
    heads, backbone = load_heads(weights), load_backbone()
    features = observe_pictures([subject], backbone)
    opinion = heads.tell(features[0], rate_everyday(features, backbone, heads.kinds)[0])
    chosen = max(kinds or opinion.chances, key=lambda each: opinion.chances.get(each, 0.0))
    attributes = list_attributes(heads, opinion, chosen)
    colours = tuple(list_main_colours(subject))
    return PictureFindings(Path(path).name, subject, opinion, chosen, bool(kinds), attributes, colours)


def list_attributes(heads: PictureHeads, opinion: PictureOpinion, kind: str) -> tuple[tuple[Attribute, float], ...]:
    """The answers of a kind that are sure enough, the surest first."""
    found = []
    for question in heads.questions:
        if question.kind == kind:
            answer, chance = max(opinion.answers[kind, question.name].items(), key=lambda item: item[1])
            if chance >= SURE_ANSWER:
                found.append((make_attribute(question.sort, question.name, answer), chance))
    return tuple(sorted(found, key=lambda pair: -pair[1]))


def make_attribute(sort: str, name: str, answer: str) -> Attribute:
    """An answer as something that is asked of an object."""
    if sort == "count":
        return Attribute("count", singular(name), int(answer), f"{answer} {name}")
    return Attribute("option", name, answer, f"{name}: {answer}")


def realise_picture(findings: PictureFindings, seed: int = 0) -> PicturedObject:
    """The object most like a picture among those that pass the gate."""
    kind, request = findings.kind, findings.request
    with Renderer(FRAME_SIDE, FRAME_SIDE) as renderer:
        matcher = PictureMatcher(findings.subject, findings.opinion, load_backbone(), renderer)
        tried: list[tuple[Candidate, list[str]]] = []
        for candidate in search(matcher, request, kind, seed)[: MAX_REDRAWS + 1]:
            coloured = colour(matcher, request, kind, candidate)
            faults = find_gate_faults(coloured.made.thing)
            tried.append((coloured, faults))
            if not faults:
                break
    best, faults = tried[-1] if not tried[-1][1] else min(tried, key=lambda row: len(row[1]))
    own = replace(request, attributes=_keep_made(request, best))
    return PicturedObject(findings, report_result(own, best.made, seed, faults, len(tried) - 1), best.overlap)


def _keep_made(request: Request, candidate: Candidate) -> tuple[Attribute, ...]:
    """The attributes that the program of an object has a say in: some of its choices depend on others."""
    names = {singular(c.name) if c.kind == "count" else c.name for c in candidate.made.choices}
    return tuple(a for a in request.attributes if a.part in names)


def describe_findings(findings: PictureFindings) -> list[str]:
    """Lines for people."""
    name = findings.kind.replace("_", " ")
    if findings.given:
        lines = [f"{findings.name}: a {name}, as you say"]
    else:
        lines = [f"{findings.name}: {name} {findings.opinion.chances[findings.kind]:.2f}"]
    told = [f"{attribute.words} {chance:.2f}" for attribute, chance in findings.attributes]
    width, depth, height = findings.opinion.proportions / findings.opinion.proportions.max()
    lines.append(f"  seen in it: {'; '.join(told) or 'nothing more'}")
    lines.append(f"  width : depth : height about {width:.2f} : {depth:.2f} : {height:.2f}")
    lines.append(f"  main colours: {', '.join(findings.colours)}; told from the background {findings.subject.how}")
    return lines


def describe_doubts(findings: PictureFindings) -> list[str]:
    """A sentence for each thing that is not sure."""
    lines = []
    if not findings.is_sure:
        near = ", ".join(f"{kind.replace('_', ' ')} {chance:.2f}" for kind, chance in findings.likeliest)
        lines.append(f"no kind is sure: the likeliest are {near}; say --kind to choose")
    if not findings.subject.sure:
        lines.append("the object could not be told from its background; cut it out, or take it before a plain wall")
    return lines


def collect_findings(findings: PictureFindings) -> dict[str, object]:
    """What a program wants to know."""
    chances: Mapping[str, float] = dict(findings.likeliest)
    return {
        "picture": findings.name, "kind": findings.kind, "given": findings.given, "sure": findings.is_sure,
        "likeliest": chances,
        "seen": [{"words": a.words, "chance": round(chance, 4)} for a, chance in findings.attributes],
        "proportions": findings.opinion.proportions.round(4).tolist(), "azimuth": findings.opinion.azimuth,
        "elevation": findings.opinion.elevation, "colours": list(findings.colours),
        "outline": findings.subject.how, "outline_sure": findings.subject.sure,
    }  # fmt: skip
