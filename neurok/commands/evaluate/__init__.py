"""neurok evaluate: how good it is. One module per verb of this group."""

# verb -> what it does; the module has the verb's name, the class its name after Evaluate
VERBS = {
    "deformation": "measure methods on pairs of states of known objects: the papers' tables with our rows",
    "articulation": "measure how well types, axes, centres and ranges of joints are predicted",
    "materials": "measure how well the materials of parts are told, by what, and against look-ups",
    "samples": "draw states: whether rest is the input, parts stay rigid, and draws differ",
    "robustness": "measure what changes with the number of points looked at, and with objects turned over",
    "folds": "train without each of five folds over kinds, and measure on them: one cross-validated table",
    "unseen": "train without named categories and measure on them",
    "keypoints": "train the baseline that moves a cage by keypoints",
    "generation": "make objects of prompts, and measure from the files what of them is met",
    "pictures": "measure how well the thing in a picture is told: its kind, counts, proportions",
    "scenes": "make scenes of drawn texts, and measure from the files whether they rest and what a hand can open",
    "dynamics": "measure energy drift, convergence, stability and motion of an object's dynamics",
}
