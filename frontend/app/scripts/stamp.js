// Writes a hash over the sources beside what was built of them, so that a check without Node
// can tell whether the two belong together: frontend/freshness.py reads it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
const SKIPPED = new Set(['node_modules']);

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* files(path);
    } else if (!entry.name.endsWith('.test.ts')) {
      yield relative(ROOT, path).split(sep).join('/');
    }
  }
}

const hash = createHash('sha256');
for (const name of [...files(ROOT)].sort()) {
  const content = readFileSync(join(ROOT, name));
  hash.update(name).update('\0').update(createHash('sha256').update(content).digest());
}
const stamp = { sources_sha256: hash.digest('hex') };
writeFileSync(join(ROOT, '../dist/build.json'), JSON.stringify(stamp) + '\n');
