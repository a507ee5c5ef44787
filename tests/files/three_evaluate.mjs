// Vertices of a GLB as three.js moves them: the independent engine of the glTF reader's tests.
//
//     node three_evaluate.mjs IN.glb OUT.bin CLIP FRACTION...
//
// CLIP is the place of an animation, or -1 for the default pose. OUT.bin receives float64 positions,
// [times, vertices, 3], with vertices in depth-first node order; the times are fractions of the clip's
// length. Printed: {"times": [...], "vertices": n} as JSON.
import { readFileSync, writeFileSync } from 'node:fs';

globalThis.self = globalThis; // the loader expects a browser's global object
const THREE = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const [input, output, clipText, ...fractions] = process.argv.slice(2);

// The JSON without images, which Node cannot decode, in a GLB of the same binary chunk.
function withoutTextures(file) {
  const length = file.readUInt32LE(12);
  const json = JSON.parse(file.subarray(20, 20 + length).toString('utf8'));
  for (const key of ['images', 'textures', 'samplers', 'materials']) delete json[key];
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  for (const key of ['extensionsUsed', 'extensionsRequired']) {
    if (json[key]) json[key] = json[key].filter((name) => !/material|texture/.test(name));
  }
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const rest = file.subarray(20 + length);
  const head = Buffer.alloc(20);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.writeUInt32LE(0x4e4f534a, 16);
  const all = Buffer.concat([head, text, rest]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
}

const gltf = await new Promise((resolve, reject) =>
  new GLTFLoader().parse(withoutTextures(readFileSync(input)), '', resolve, reject),
);

// Meshes in order; of primitives of one node that name the same accessors only the first.
const meshes = [];
let seen = new Set();
let owner = null;
gltf.scene.traverse((object) => {
  if (!object.isMesh) return;
  const place = gltf.parser.associations.get(object);
  const node = object.parent.isGroup && gltf.parser.associations.get(object.parent)?.primitives === undefined
    && place.nodes === undefined ? object.parent : object;
  if (node !== owner) { owner = node; seen = new Set(); }
  const primitive = gltf.parser.json.meshes[place.meshes].primitives[place.primitives];
  const key = JSON.stringify([Object.entries(primitive.attributes).sort(), primitive.targets]);
  if (seen.has(key)) return;
  seen.add(key);
  meshes.push(object);
});

const clip = Number(clipText) >= 0 ? gltf.animations[Number(clipText)] : null;
const times = clip ? fractions.map((f) => Number(f) * clip.duration) : [0];
const count = meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
const result = new Float64Array(times.length * count * 3);
const mixer = new THREE.AnimationMixer(gltf.scene);
if (clip) {
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
}
const vertex = new THREE.Vector3();
let offset = 0;
for (const time of times) {
  if (clip) mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  for (const mesh of meshes) {
    for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
      mesh.getVertexPosition(i, vertex); // morph targets, then applyBoneTransform where it is skinned
      vertex.applyMatrix4(mesh.matrixWorld).toArray(result, offset);
      offset += 3;
    }
  }
}
writeFileSync(output, Buffer.from(result.buffer));
console.log(JSON.stringify({ times, vertices: count }));
