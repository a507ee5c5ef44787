// Validates glTF files with the Khronos validator; prints a JSON list of reports, one per file.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

const reports = [];
for (const file of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  reports.push({ file, issues: report.issues, info: report.info });
}
console.log(JSON.stringify(reports));
