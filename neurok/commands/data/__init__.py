"""neurok data: motions to learn from. One module per verb of this group."""

# verb -> what it does; the module has the verb's name, the class its capital, after Data where that is taken
VERBS = {
    "build": "build a store of motions from a recipe",
    "inspect": "say what a store holds",
    "show": "write one object of a store as a motion",
    "generate": "write a data set of objects made from prompts",
    "procedural": "make an object of a category from a seed, with its joints",
}
