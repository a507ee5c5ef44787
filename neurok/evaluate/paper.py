"""What the papers report, to stand beside our own rows."""

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
    "NeuralDeformationGraphs": "not built here; fits a network to a depth sequence per object, and a pair has none",
    "CANOR": "not built here; its code and weights are not part of this project",
    "FreeArt3D": "not built here; rests on a large pretrained 3D diffusion model",
    "SINGAPO": "not built here; makes a new object from a photograph and does not deform a given mesh",
    "KeyPointDeformer": "a deformer in its manner is not trained on our store yet",
}
