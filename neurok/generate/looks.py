"""Materials and colours that people name, and how they look and weigh."""

import colorsys
from dataclasses import dataclass, replace

from neurok.geometry.mesh import Material
from neurok.materials.library import load_library

RGB = tuple[float, float, float]


@dataclass(frozen=True)
class Substance:
    """What a part may be made of.

    shade: display colour [sRGB, 0 to 1]; density [kg/m^3]: handbook values of the usual sort, to two digits.
    tintable: whether things of it come in any colour.
    """

    name: str
    shade: RGB
    density: float
    metallic: float = 0.0
    roughness: float = 0.6
    alpha: float = 1.0
    tintable: bool = True


# Densities: CRC Handbook of Chemistry and Physics (metals, glass, wood), makers' data sheets (plastics, textiles).
SUBSTANCES = {
    s.name: s
    for s in (
        Substance("wood", (0.58, 0.39, 0.22), 650.0, roughness=0.7),
        Substance("oak", (0.66, 0.48, 0.29), 720.0, roughness=0.7),
        Substance("pine", (0.80, 0.64, 0.42), 500.0, roughness=0.7),
        Substance("walnut", (0.36, 0.24, 0.15), 640.0, roughness=0.6),
        Substance("bamboo", (0.82, 0.70, 0.45), 700.0, roughness=0.6),
        Substance("cork", (0.73, 0.56, 0.37), 200.0, roughness=0.9),
        Substance("metal", (0.72, 0.73, 0.75), 7800.0, 0.9, 0.35),
        Substance("steel", (0.70, 0.71, 0.73), 7850.0, 0.9, 0.35),
        Substance("iron", (0.24, 0.24, 0.25), 7200.0, 0.8, 0.6),
        Substance("aluminium", (0.82, 0.83, 0.84), 2700.0, 0.9, 0.4),
        Substance("chrome", (0.86, 0.87, 0.88), 7850.0, 1.0, 0.12),
        Substance("brass", (0.78, 0.62, 0.30), 8500.0, 0.9, 0.3, tintable=False),
        Substance("bronze", (0.56, 0.41, 0.22), 8800.0, 0.9, 0.4, tintable=False),
        Substance("copper", (0.74, 0.44, 0.32), 8960.0, 0.9, 0.3, tintable=False),
        Substance("gold", (0.88, 0.71, 0.26), 19300.0, 1.0, 0.2, tintable=False),
        Substance("silver", (0.88, 0.88, 0.88), 10500.0, 1.0, 0.2, tintable=False),
        Substance("plastic", (0.80, 0.80, 0.80), 1050.0, roughness=0.4),
        Substance("rubber", (0.13, 0.13, 0.14), 1150.0, roughness=0.95),
        Substance("glass", (0.80, 0.90, 0.90), 2500.0, roughness=0.05, alpha=0.35),
        Substance("ceramic", (0.93, 0.92, 0.88), 2300.0, roughness=0.2),
        Substance("porcelain", (0.96, 0.95, 0.93), 2400.0, roughness=0.15),
        Substance("stone", (0.55, 0.54, 0.52), 2600.0, roughness=0.9),
        Substance("marble", (0.90, 0.89, 0.88), 2700.0, roughness=0.3),
        Substance("concrete", (0.60, 0.60, 0.59), 2400.0, roughness=0.95),
        Substance("clay", (0.71, 0.41, 0.28), 1900.0, roughness=0.9),
        Substance("leather", (0.42, 0.26, 0.15), 900.0, roughness=0.65),
        Substance("fabric", (0.50, 0.52, 0.58), 350.0, roughness=1.0),
        Substance("wool", (0.82, 0.78, 0.70), 300.0, roughness=1.0),
        Substance("cotton", (0.88, 0.86, 0.82), 350.0, roughness=1.0),
        Substance("canvas", (0.78, 0.72, 0.58), 450.0, roughness=1.0),
        Substance("paper", (0.93, 0.91, 0.86), 800.0, roughness=0.9),
        Substance("cardboard", (0.72, 0.55, 0.36), 200.0, roughness=0.95),
        Substance("wicker", (0.72, 0.56, 0.34), 400.0, roughness=0.9),
        Substance("foam", (0.90, 0.88, 0.80), 40.0, roughness=1.0),
    )
}

# Other words for substances, and adjectives.
SUBSTANCE_WORDS = {
    "wooden": "wood", "timber": "wood", "oaken": "oak", "metallic": "metal", "stainless steel": "steel",
    "aluminum": "aluminium", "alloy": "metal", "chromed": "chrome", "chrome plated": "chrome", "golden": "gold",
    "plasticky": "plastic", "acrylic": "plastic", "vinyl": "plastic", "nylon": "plastic", "glazed": "glass",
    "glassy": "glass", "earthenware": "ceramic", "terracotta": "clay", "terra cotta": "clay", "cloth": "fabric",
    "textile": "fabric", "linen": "fabric", "polyester": "fabric", "velvet": "fabric", "felt": "fabric",
    "woollen": "wool", "woolen": "wool", "granite": "stone", "cast iron": "iron", "wrought iron": "iron",
    "rubbery": "rubber", "silicone": "rubber", "stainless": "steel", "mahogany": "walnut", "birch": "pine",
    "maple": "pine", "beech": "oak", "ash": "oak", "cherry wood": "walnut", "plywood": "pine", "rattan": "wicker",
    "tin": "metal", "titanium": "metal", "nickel": "metal", "pewter": "metal", "leathery": "leather", "hide": "leather",
    "suede": "leather", "paperboard": "cardboard", "carton": "cardboard",
}  # fmt: skip

# Named shades [sRGB, 0 to 1]; CSS's words rounded to what paints look like.
COLOURS: dict[str, RGB] = {
    "red": (0.78, 0.12, 0.10), "green": (0.14, 0.52, 0.20), "blue": (0.13, 0.30, 0.74), "yellow": (0.94, 0.80, 0.14),
    "orange": (0.93, 0.48, 0.10), "purple": (0.46, 0.18, 0.60), "violet": (0.50, 0.24, 0.70),
    "pink": (0.93, 0.52, 0.66),
    "brown": (0.40, 0.24, 0.13), "black": (0.05, 0.05, 0.06), "white": (0.94, 0.94, 0.93), "grey": (0.50, 0.50, 0.50),
    "beige": (0.86, 0.80, 0.66), "cream": (0.95, 0.92, 0.80), "turquoise": (0.20, 0.72, 0.70),
    "teal": (0.05, 0.45, 0.45),
    "cyan": (0.15, 0.75, 0.85), "navy": (0.07, 0.11, 0.35), "maroon": (0.42, 0.08, 0.12), "magenta": (0.80, 0.15, 0.55),
    "lime": (0.60, 0.82, 0.15), "olive": (0.42, 0.43, 0.15), "mint": (0.62, 0.88, 0.74), "lavender": (0.72, 0.66, 0.88),
    "tan": (0.78, 0.64, 0.44), "charcoal": (0.20, 0.21, 0.22), "burgundy": (0.42, 0.06, 0.15),
    "crimson": (0.72, 0.08, 0.18), "coral": (0.95, 0.48, 0.38), "salmon": (0.95, 0.55, 0.47),
    "indigo": (0.25, 0.18, 0.55), "khaki": (0.70, 0.66, 0.46), "ivory": (0.96, 0.95, 0.87),
    "scarlet": (0.82, 0.12, 0.08),
    "peach": (0.97, 0.76, 0.62), "mustard": (0.80, 0.63, 0.14), "rust": (0.63, 0.28, 0.12),
}  # fmt: skip
COLOUR_WORDS = {
    "gray": "grey", "bluish": "blue", "reddish": "red", "greenish": "green", "off white": "cream", "navy blue": "navy",
    "anthracite": "charcoal", "aqua": "turquoise", "sky blue": "blue", "forest green": "green", "jet black": "black",
    "snow white": "white", "wine red": "burgundy", "lilac": "lavender", "rose": "pink", "amber": "orange",
}  # fmt: skip
SHADE_WORDS = {"dark": 0.55, "deep": 0.7, "light": 1.35, "pale": 1.35, "bright": 1.1, "pastel": 1.4}


def make_material(substance: str | None, colour: str | None, base: Material) -> Material:
    """A part's surface of a substance, in a colour, or both; what is not asked for stays as it was."""
    thing = SUBSTANCES.get(substance or "")
    if thing is not None:
        shade = COLOURS[colour] if colour else thing.shade
        name = f"{colour} {thing.name}" if colour else thing.name
        mode = "BLEND" if thing.alpha < 1.0 else "OPAQUE"
        return Material(
            name, (*linearise(shade), thing.alpha), thing.metallic, thing.roughness, alpha_mode=mode,
            double_sided=thing.alpha < 1.0,
        )  # fmt: skip
    if colour is None:
        return base
    metallic = 0.3 * base.metallic  # paint covers metal
    return replace(base, name=f"{colour} {base.name}", base_color=(*linearise(COLOURS[colour]), base.base_color[3]),
                   metallic=metallic)  # fmt: skip


def linearise(shade: RGB) -> RGB:
    """sRGB to linear light, by IEC 61966-2-1."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade)
    return red, green, blue


def find_substance(material: Material) -> str | None:
    """The substance a material's name ends in."""
    words = material.name.replace("_", " ").split()
    return next((word for word in reversed(words) if word in SUBSTANCES), None)


# What the families of the programs' palette are made of.
FAMILY_SUBSTANCES = {
    "dark_metal": "metal", "paint": "wood", "white": "plastic", "black": "plastic", "red": "plastic",
    "yellow": "plastic", "ocean": "plastic", "light": "plastic", "leaf": "cotton", "earth": "clay", "fur": "wool",
    "skin": "rubber",
}  # fmt: skip


# Substances as the library of materials calls them; the others have a density of their own above.
LIBRARY_NAMES = {
    "wood": "hardwood", "oak": "hardwood", "pine": "softwood", "bamboo": "bamboo", "cork": "cork",
    "metal": "mild_steel", "steel": "stainless_steel", "chrome": "stainless_steel", "iron": "cast_iron",
    "aluminium": "aluminium", "brass": "brass", "copper": "copper", "plastic": "abs", "rubber": "rubber",
    "glass": "glass", "ceramic": "porcelain", "porcelain": "porcelain", "stone": "stone", "concrete": "concrete",
    "clay": "earthenware", "leather": "leather", "fabric": "polyester", "wool": "wool", "cotton": "cotton",
    "canvas": "cotton", "paper": "paper", "cardboard": "cardboard", "foam": "foam",
}  # fmt: skip

# What is most like the others, but for its density.
NEAREST_NAMES = {
    "walnut": "hardwood", "bronze": "brass", "gold": "brass", "silver": "brass", "marble": "stone", "wicker": "bamboo",
}  # fmt: skip


def find_density(material: Material) -> float:
    """[kg/m^3] of what a material of ours or of the programs is made of; that of plastic where nothing is known."""
    name = find_substance(material) or FAMILY_SUBSTANCES.get(material.name.split(" ")[-1], "plastic")
    known = load_library().find(LIBRARY_NAMES[name]).find_typical("density") if name in LIBRARY_NAMES else None
    return known if known is not None else SUBSTANCES[name].density


def name_colour(material: Material) -> str:
    """The named colour nearest to a material's, by hue first."""
    shown = [c ** (1 / 2.2) for c in material.base_color[:3]]

    def distance(shade: RGB) -> float:
        h, s, v = colorsys.rgb_to_hsv(*shade)
        a, b, c = colorsys.rgb_to_hsv(*shown)
        turn = min(abs(h - a), 1 - abs(h - a)) * min(s, b) * 4
        return turn**2 + (s - b) ** 2 + (v - c) ** 2

    return min(COLOURS, key=lambda name: distance(COLOURS[name]))
