// Feeds times of pictures to the page's rule of resolution; arguments: its source, a folder, JSON of [ms, ...].
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import esbuild from 'esbuild';

const [source, folder, times] = process.argv.slice(2);
const outfile = path.join(folder, 'resolution.mjs');
await esbuild.build({ entryPoints: [source], outfile, bundle: true, format: 'esm' });
const { Resolution } = await import(pathToFileURL(outfile).href);
const rule = new Resolution(2);
const found = JSON.parse(times).map((milliseconds) => {
  rule.note(milliseconds, rule.moving);
  return rule.moving;
});
rule.reset();
console.log(JSON.stringify([...found, rule.moving]));
