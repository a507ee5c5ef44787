// Bundles one source file of the page as `make page` does; arguments: source, result.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const [source, result] = process.argv.slice(2);
await esbuild.build({
  entryPoints: [source],
  outfile: result,
  bundle: true,
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  nodePaths: [path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules')],
});
