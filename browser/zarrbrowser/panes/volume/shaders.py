"""The program that draws volumes: one ray for each pixel, through a texture with three axes."""

from __future__ import annotations

from typing import Final

DESKTOP: Final = "#version 330 core\n"
EMBEDDED: Final = (
    "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler3D;\n"
)
"""The first lines, for OpenGL and for OpenGL ES."""

VERTEX: Final = """
void main() {
    // One triangle that covers the picture.
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
"""

MODES: Final = {"maximum": 0, "translucent": 1, "surface": 2}
BRIGHTNESS, WITH_HOLES, COLOURS = 0, 1, 2
"""The kinds of textures: brightness; brightness and whether the sample is there; colours and an opacity."""

FRAGMENT: Final = """
uniform sampler3D volume;
uniform sampler2D colours;
uniform int kind;
uniform int mode;
uniform vec3 samples;
uniform vec3 start;
uniform vec3 right;
uniform vec3 down;
uniform vec3 ahead;
uniform vec3 lengths;
uniform float density;
uniform float threshold;
out vec4 result;

const int most_steps = 8192;

// Brightness at a place, and how much of it is there.
vec2 light(vec3 place) {
    vec4 texel = texture(volume, place);
    if (kind == 0)
        return vec2(texel.r, 1.0);
    if (kind == 2)
        return vec2(texel.a, texel.a > 0.0 ? 1.0 : 0.0);
    return texel.g >= 0.5 ? vec2(texel.r / texel.g, 1.0) : vec2(0.0);
}

vec3 colour(vec3 place, float brightness) {
    if (kind == 2)
        return texture(volume, place).rgb;
    // The middle of the entry of the table that the Image tab uses.
    return texture(colours, vec2((brightness * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

vec4 maximum(vec3 place, vec3 along, int steps) {
    float best = -1.0;
    vec3 where = place;
    for (int step = 0; step < most_steps; step++) {
        if (step >= steps || best >= 1.0)
            break;
        vec2 found = light(place);
        if (found.y > 0.0 && found.x > best) {
            best = found.x;
            where = place;
        }
        place += along;
    }
    return best < 0.0 ? vec4(0.0) : vec4(colour(where, best), 1.0);
}

vec4 translucent(vec3 place, vec3 along, int steps) {
    vec4 total = vec4(0.0);
    float thickness = length(along * lengths) / length(lengths);
    for (int step = 0; step < most_steps; step++) {
        if (step >= steps || total.a > 0.99)
            break;
        vec2 found = light(place);
        if (found.y > 0.0 && found.x > 0.0) {
            float opacity = 1.0 - exp(-density * found.x * thickness);
            total += (1.0 - total.a) * opacity * vec4(colour(place, found.x), 1.0);
        }
        place += along;
    }
    return total;
}

float height(vec3 place) {
    vec2 found = light(place);
    return found.y > 0.0 ? found.x : 0.0;
}

vec4 surface(vec3 place, vec3 along, int steps) {
    bool is_hit = false;
    for (int step = 0; step < most_steps; step++) {
        if (step >= steps)
            break;
        if (height(place) >= threshold) {
            is_hit = true;
            break;
        }
        place += along;
    }
    if (!is_hit)
        return vec4(0.0);
    vec3 behind = place, before = place - along;
    for (int step = 0; step < 5; step++) {
        vec3 middle = 0.5 * (before + behind);
        if (height(middle) >= threshold)
            behind = middle;
        else
            before = middle;
    }
    vec3 apart = 1.0 / samples;
    vec3 slope = vec3(
        height(behind - vec3(apart.x, 0, 0)) - height(behind + vec3(apart.x, 0, 0)),
        height(behind - vec3(0, apart.y, 0)) - height(behind + vec3(0, apart.y, 0)),
        height(behind - vec3(0, 0, apart.z)) - height(behind + vec3(0, 0, apart.z))) / (apart * lengths);
    vec3 view = normalize(-ahead * lengths);
    // Where the box cuts the surface, the cut faces the viewer.
    float facing = length(slope) > 0.0 ? max(dot(normalize(slope), view), 0.0) : 1.0;
    float lit = 0.25 + 0.75 * facing;
    vec3 shown = colour(behind, kind == 2 ? 1.0 : max(threshold, 0.75));
    return vec4(min(shown * lit + 0.2 * pow(facing, 30.0) * shown, vec3(1.0)), 1.0);
}

void main() {
    result = vec4(0.0);
    vec3 origin = start + right * gl_FragCoord.x + down * gl_FragCoord.y;
    vec3 direction = mix(ahead, vec3(1e-9), lessThan(abs(ahead), vec3(1e-9)));
    vec3 one = (vec3(0.0) - origin) / direction, other = (vec3(1.0) - origin) / direction;
    vec3 entries = min(one, other), exits = max(one, other);
    float enter = max(max(entries.x, entries.y), entries.z), leave = min(min(exits.x, exits.y), exits.z);
    if (enter >= leave)
        return;
    vec3 inside = direction * (leave - enter);
    vec3 crossed = abs(inside) * samples;
    // Rays along an axis meet the centres of its samples.
    int steps = max(1, int(ceil(max(max(crossed.x, crossed.y), crossed.z) - 1e-3)));
    vec3 along = inside / float(steps);
    vec3 place = origin + direction * enter + 0.5 * along;
    if (mode == 0)
        result = maximum(place, along, steps);
    else if (mode == 1)
        result = translucent(place, along, steps);
    else
        result = surface(place, along, steps);
}
"""
