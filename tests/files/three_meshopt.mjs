// Decode the streams of a JSON file with the meshopt decoder that three.js brings along.
//
//     node three_meshopt.mjs STREAMS.json   ->   {"name": "hex of the plain bytes", ...}
import { readFileSync } from 'node:fs';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';

await MeshoptDecoder.ready;
const plain = {};
for (const [name, stream] of Object.entries(JSON.parse(readFileSync(process.argv[2], 'utf8')))) {
  const target = new Uint8Array(stream.count * stream.stride);
  const data = new Uint8Array(Buffer.from(stream.data, 'hex'));
  MeshoptDecoder.decodeGltfBuffer(target, stream.count, stream.stride, data, stream.mode, stream.filter);
  plain[name] = Buffer.from(target).toString('hex');
}
console.log(JSON.stringify(plain));
