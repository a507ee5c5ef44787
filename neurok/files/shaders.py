"""The shaders of the renderer: surface, ground with its shadow, background.

All lengths are those of `Camera.scaled`, in which everything that moves has
size one. Light is summed linearly and turned into sRGB at the end.
"""

SURFACE_VERTEX = """
#version 330
uniform mat4 clip;
in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 color;
out vec3 place;
out vec3 bent;
out vec2 coordinate;
out vec4 tint;
void main() {
    place = position;
    bent = normal;
    coordinate = uv;
    tint = color;
    gl_Position = clip * vec4(position, 1.0);
    gl_PointSize = 3.0;
}
"""

SURFACE_FRAGMENT = """
#version 330
uniform sampler2D image;
uniform vec4 base;
uniform vec3 emissive;
uniform float roughness;
uniform float metallic;
uniform float cutoff;     // below this alpha there is nothing
uniform bool blended;
uniform bool unlit;
uniform vec3 eye;
uniform vec3 key;         // towards the lights
uniform vec3 fill;
uniform vec3 vertical;
in vec3 place;
in vec3 bent;
in vec2 coordinate;
in vec4 tint;
out vec4 shown;

vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }
vec3 coded(vec3 c) { return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

void main() {
    vec4 texel = texture(image, coordinate);
    vec4 surface = vec4(linear(texel.rgb), texel.a) * base * tint;
    if (surface.a < cutoff) discard;
    vec3 towards = normalize(eye - place);
    vec3 n = dot(bent, bent) > 0.0 ? normalize(bent) : towards;
    if (dot(bent, bent) > 0.0 && !gl_FrontFacing) n = -n;
    vec3 light = mix(vec3(0.27, 0.26, 0.25), vec3(0.47, 0.48, 0.50), 0.5 + 0.5 * dot(n, vertical));
    light += vec3(0.50, 0.485, 0.46) * pow(max((dot(n, key) + 0.2) / 1.2, 0.0), 1.3);
    light += vec3(0.10, 0.11, 0.13) * max(dot(n, fill), 0.0);
    float sharp = 2.0 / max(roughness * roughness * roughness * roughness, 0.002) - 2.0;
    float glint = pow(max(dot(n, normalize(key + towards)), 0.0), max(sharp, 1.0)) * (1.0 - roughness) * 0.35;
    float grazing = pow(1.0 - max(dot(n, towards), 0.0), 5.0) * 0.10 * (1.0 - roughness);
    vec3 mirror = mix(vec3(1.0), surface.rgb, metallic);
    vec3 color = surface.rgb * light * mix(1.0, 0.85, metallic) + mirror * (glint + grazing) + emissive;
    if (unlit) color = surface.rgb;
    shown = vec4(coded(clamp(color, 0.0, 1.0)), blended ? surface.a : 1.0);
}
"""

SHADOW_VERTEX = """
#version 330
uniform mat4 clip;
uniform vec3 vertical;
uniform float ground;
in vec3 position;
out float height;
void main() {
    height = dot(position, vertical) - ground;
    gl_Position = clip * vec4(position, 1.0);
}
"""

SHADOW_FRAGMENT = """
#version 330
uniform float reach;      // height at which a shadow has faded to a third
in float height;
out float dark;
void main() { dark = exp(-max(height, 0.0) / reach); }
"""

GROUND_VERTEX = """
#version 330
uniform mat4 clip;
uniform mat3 axes;        // columns: two directions in the ground, and the vertical
uniform vec3 origin;      // of the ground, below the middle of the object
uniform float radius;
in vec2 corner;
out vec2 across;
void main() {
    across = corner * radius;
    gl_Position = clip * vec4(origin + axes * vec3(across, 0.0), 1.0);
}
"""

GROUND_FRAGMENT = """
#version 330
uniform sampler2D shadow;
uniform float span;       // half the side of the square the shadow covers
uniform float radius;
uniform float spacing;    // of the grid
uniform vec2 shift;       // of the grid, so that it passes through the file's origin
in vec2 across;
out vec4 shown;
float lines(float step) {
    vec2 cell = (across + shift) / step;
    vec2 width = fwidth(cell);
    vec2 distance = abs(fract(cell - 0.5) - 0.5) / max(width, 1e-6);
    return (1.0 - min(min(distance.x, distance.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
}
void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(across) / radius);
    float dark = 0.0;
    vec2 place = across / span * 0.5 + 0.5;
    if (all(greaterThan(place, vec2(0.0))) && all(lessThan(place, vec2(1.0)))) dark = texture(shadow, place).r;
    float grid = lines(spacing) * 0.10 * fade;
    shown = vec4(vec3(0.20, 0.22, 0.26), 1.0 - (1.0 - 0.62 * dark) * (1.0 - grid));
}
"""

BACKGROUND_VERTEX = """
#version 330
in vec2 corner;
out float height;
void main() {
    height = 0.5 + 0.5 * corner.y;
    gl_Position = vec4(corner, 0.0, 1.0);
}
"""

BACKGROUND_FRAGMENT = """
#version 330
in float height;
out vec4 shown;
void main() {
    float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;  // hides the bands
    shown = vec4(mix(vec3(0.850, 0.862, 0.876), vec3(0.945, 0.951, 0.958), height) + noise / 255.0, 1.0);
}
"""
