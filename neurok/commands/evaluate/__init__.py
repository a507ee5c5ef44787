"""neurok evaluate: how good it is. One module per verb of this group."""

# verb -> what it does; the module has the verb's name, the class its capital
VERBS = {
    "deformation": "measure methods on pairs of states of known objects: the papers' tables with our rows",
    "articulation": "measure how well types, axes, centres and ranges of joints are predicted",
    "dynamics": "measure energy drift, convergence, stability and motion of an object's dynamics",
}
