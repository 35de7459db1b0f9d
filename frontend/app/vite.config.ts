import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

import { shell } from './scripts/shell.ts';

// Names that other parts of the server and the service worker know; what is loaded on demand
// carries a hash, so that an old page and a new server never mix.
const FIXED = new Set(['app', 'hljs']);

function chunkName({ name }: { name: string }): string {
  return FIXED.has(name) ? 'assets/[name].js' : 'assets/chunks/[name]-[hash].js';
}

function assetName({ names }: { names: string[] }): string {
  const name = names[0]?.replace(/\.css$/, '') ?? '';
  return FIXED.has(name) ? 'assets/[name][extname]' : 'assets/chunks/[name]-[hash][extname]';
}

// Every browser that runs this page reads WOFF2; KaTeX names older formats as well.
const woff2Only: Plugin = {
  name: 'woff2-only',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('katex') || !id.endsWith('.css')) return undefined;
    return code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, '');
  },
};

// A development server of ours stands behind Vite's own; see `make dev` and `npm run dev`.
const BACKEND = process.env['MLXSITE_BACKEND'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [woff2Only, svelte(), svelteTesting(), shell],
  // Mermaid brings a KaTeX of its own; one is enough.
  resolve: { dedupe: ['katex'] },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000, // kB; diagrams are large, and come only when asked for
    rolldownOptions: {
      input: { app: 'index.html' },
      output: {
        entryFileNames: 'assets/[name].js',
        chunkFileNames: chunkName,
        assetFileNames: assetName,
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/api', '/stats', '/fit', '/library', '/downloads', '/health'].map((path) => [
        path,
        BACKEND,
      ]),
    ),
  },
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'] },
});
