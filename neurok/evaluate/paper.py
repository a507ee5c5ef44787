"""What the papers report, to stand beside our own rows."""

from typing import Any

# Inverse kinematics on the test set of PartNet-Mobility: Chamfer-L1, Chamfer-L2, IoU.
# The paper's sampling, normalisation and kind of IoU are not published, so that rows compare among themselves only.
TABLE_1 = {
    "NeuralDeformationGraphs": (0.670, 0.724, 0.289),
    "SINGAPO": (0.313, 0.200, 0.091),
    "FreeArt3D": (0.169, 0.139, 0.354),
    "CANOR": (0.082, 0.067, 0.568),
    "KeyPointDeformer": (0.067, 0.067, 0.570),
    "NeuROK": (0.028, 0.028, 0.764),
    "NeuROK without reduction": (0.045, 0.059, 0.711),
    "NeuROK without augmentation": (0.036, 0.041, 0.724),
    "NeuROK without dual quaternions": (0.033, 0.037, 0.728),
}

# No code or weights of others are fetched or shipped here; what each would need besides is said where it is known.
NOT_RUN = {
    "NeuralDeformationGraphs": "fits a network to a depth sequence per object, and a pair of states has none",
    "CANOR": "its code and weights are not part of this project",
    "FreeArt3D": "rests on a large pretrained 3D diffusion model",
    "SINGAPO": "makes a new object from a photograph and does not deform a given mesh",
    "KeyPointDeformer": "has a network for each category; `keypoints` is one in its manner, trained on our store",
}

# The rows of ours that answer to rows of the paper; of other weights their configuration tells.
OURS = {"learned": "NeuROK", "learned-unreduced": "NeuROK without reduction", "keypoints": "KeyPointDeformer"}


def find_paper_row(method: str, config: dict[str, Any] | None) -> str:
    """The row of the paper that one of ours stands for, "" where there is none; config: of its weights."""
    if method in OURS:
        return OURS[method]
    if not config or method.endswith(("-whole", "-untrained")) or method == "untrained":
        return ""
    if not config.get("augmentation", True):
        return "NeuROK without augmentation"
    if not config.get("dual_quaternion", True):
        return "NeuROK without dual quaternions"
    return "NeuROK without reduction" if method.endswith("-unreduced") else "NeuROK"


# 4D generation on eight objects: alignment [%], realism [%], aesthetic, dynamic degree, imaging, CLIP, motion.
TABLE_2 = {
    "PhysDreamer": (5.95, 5.36, 0.362, 0.500, 48.4, 0.716, 0.783),
    "OmniPhysGS": (1.67, 0.48, 0.380, 0.625, 48.9, 0.690, 0.544),
    "Pixie": (5.12, 4.17, 0.392, 0.625, 46.2, 0.659, 0.857),
    "AnimateAnyMesh": (5.83, 6.67, 0.450, 0.625, 48.4, 0.730, 0.889),
    "NeuROK": (81.43, 83.33, 0.483, 0.750, 51.1, 0.761, 2.343),
}

# What the paper reports and no computer here can: said, so that nobody looks for it.
NOT_MEASURED = {
    "alignment and realism (user study)": "need people who compare films; none were asked",
    "aesthetic and imaging quality (VBench)": "are scored by networks that cannot be had here, on rendered film",
    "CLIP score": "needs a network that cannot be had here",
    "dynamic degree and motion magnitude (VBench, RAFT)": "are measured by `neurok evaluate dynamics` from exact flow "
    "instead of a network's: the same questions on another scale",
}
