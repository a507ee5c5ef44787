// Clip: the frames of a recorded motion, decoded when they are asked for (see neurok/files/clips.py).

import { skin } from "./figure";
import type { Clip } from "./messages";

/** A function that gives the vertices [n, 3] of a frame. */
export function decode(clip: Clip, rest: Float32Array): (frame: number) => Float32Array {
  if (clip.coding === "bones") return boned(clip, rest);
  const whole = unfold(clip.numbers);
  return clip.coding === "morphs" ? morphed(clip, rest, whole) : stepped(clip, rest.length, whole);
}

function boned(clip: Clip, rest: Float32Array): (frame: number) => Float32Array {
  const weights = Float32Array.from(clip.shares, (share) => share / 65535);
  const size = clip.bones.length / clip.count;
  const rig = { bones: size / 12, width: clip.width, joints: clip.joints, weights };
  return (frame) => {
    const out = new Float32Array(rest.length);
    skin(rest, rig, clip.bones.subarray(frame * size, (frame + 1) * size), out);
    return out;
  };
}

function morphed(clip: Clip, rest: Float32Array, whole: Int32Array): (frame: number) => Float32Array {
  const size = rest.length, count = whole.length / size;
  return (frame) => {
    const out = rest.slice();
    for (let r = 0; r < count; r++) {
      const weight = clip.weights[frame * count + r] * clip.step;
      if (weight === 0) continue;
      for (let i = 0, k = r * size; i < size; i++, k++) out[i] += weight * whole[k];
    }
    return out;
  };
}

function stepped(clip: Clip, size: number, whole: Int32Array): (frame: number) => Float32Array {
  for (let frame = 1; frame < clip.count; frame++)
    for (let i = 0, k = frame * size; i < size; i++, k++)
      whole[k] += frame === 1 ? whole[k - size] : 2 * whole[k - size] - whole[k - 2 * size];
  return (frame) => Float32Array.from(whole.subarray(frame * size, (frame + 1) * size), (value) => value * clip.step);
}

/** Whole numbers from their bytes: all low ones first. */
function unfold(bytes: Uint8Array): Int32Array {
  const count = bytes.length / 3;
  const out = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const folded = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16);
    out[i] = folded & 1 ? -((folded + 1) >> 1) : folded >> 1;
  }
  return out;
}
