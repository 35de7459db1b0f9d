/** Makes the shell one thing: the page holds its styles, so that the four files which the service
 * worker keeps need no fifth, and the worker's cache is named after them. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Plugin } from 'vite';

const UNNAMED = "'shell-of-no-build'";
const PAGE = 'index.html';
const STYLES = 'assets/app.css';
const KEPT = [PAGE, 'assets/app.js', 'assets/hljs.js', 'assets/hljs.css'];

/** The page with `styles` in the place of its link to them. */
export function withStyles(page: string, styles: string): string {
  const link = new RegExp(`<link rel="stylesheet"[^>]*href="/${STYLES}"[^>]*>`);
  if (!link.test(page)) throw new Error(`${PAGE} has no link to ${STYLES}`);
  return page.replace(link, () => `<style>${styles.trim()}</style>`);
}

/** worker: the text of sw.js; files: what is in the files that it keeps. */
export function named(worker: string, files: readonly (string | Uint8Array)[]): string {
  if (!worker.includes(UNNAMED)) throw new Error(`sw.js names no cache ${UNNAMED}`);
  const hash = createHash('sha256');
  for (const file of files) hash.update(createHash('sha256').update(file).digest());
  return worker.replace(UNNAMED, `'shell-${hash.digest('hex').slice(0, 16)}'`);
}

export const shell: Plugin = {
  name: 'shell',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const [page, styles] = [bundle[PAGE], bundle[STYLES]];
    if (page?.type !== 'asset' || styles?.type !== 'asset')
      throw new Error('no page, or no styles');
    page.source = withStyles(String(page.source), String(styles.source));
    Reflect.deleteProperty(bundle, STYLES);
  },
  writeBundle({ dir = '' }) {
    const worker = join(dir, 'sw.js');
    const files = KEPT.map((name) => readFileSync(join(dir, name)));
    writeFileSync(worker, named(readFileSync(worker, 'utf8'), files));
  },
};
