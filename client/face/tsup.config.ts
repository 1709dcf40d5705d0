import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Metafile, type Plugin, build } from 'esbuild';
import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.js';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const SOURCE = join(import.meta.dirname, 'src/page');

/** Builds the page for browsers, and makes one module of its files. */
const page: Plugin = {
  name: 'page',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/built\.js$/ }, () => ({ path: 'built', namespace: 'page' }));
    bundler.onLoad({ filter: /.*/, namespace: 'page' }, async () => {
      const { contents, metafile } = await pageModule();
      // Beside that of the module: the build reads both for licences.
      const { outdir = '.' } = bundler.initialOptions;
      await mkdir(outdir, { recursive: true });
      await writeFile(join(outdir, 'metafile-page.json'), JSON.stringify(metafile));
      return { contents, loader: 'js' };
    });
  },
};

/**
 * Parts that are loaded late import the frame of the page, which is there by then. Otherwise modules lie in as many files as there are
 * sets of parts that have them in common, and a browser asks for six files at once and no more.
 */
const lateParts: Plugin = {
  name: 'late parts',
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: join(resolveDir, path), namespace: 'late' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `export * from './shell.js'; export * from './${relative(SOURCE, path)}';`,
      resolveDir: SOURCE,
    }));
  },
};

async function pageModule(): Promise<{ readonly contents: string; readonly metafile: Metafile }> {
  const outdir = join(import.meta.dirname, 'out');
  const { outputFiles, metafile } = await build({
    entryPoints: [
      'src/page/first.ts',
      'src/page/main.tsx',
      'src/page/rooms-main.tsx',
      'src/page/style.css',
      'src/page/icon.svg',
    ],
    absWorkingDir: import.meta.dirname,
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    plugins: [lateParts],
    metafile: true,
    write: false,
  });
  const files = outputFiles.map(({ path, contents }) => {
    const name = relative(outdir, path);
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
    return [name, { type, gzip: gzipSync(contents, { level: 9 }).toString('base64') }] as const;
  });
  const named = (start: string): string => files.find(([name]) => name.startsWith(start))?.[0] ?? '';
  const [script, style, icon] = [named('main-'), named('style-'), named('icon-')];
  const begins = named('first-');
  const first = [style, begins, script, ...staticImports(script, metafile.outputs)];
  const template = readFileSync(join(import.meta.dirname, 'src/page/page.html'), 'utf8');
  // Asked for together with the script that imports them, and not only when that is there.
  const preloads = (main: string): string =>
    staticImports(main, metafile.outputs)
      .map((name) => `<link rel="modulepreload" href="/assets/${name}" />`)
      .join('\n    ');
  const pageOf = (main: string, more = ''): string =>
    template
      .replace('STYLE', style)
      .replace('SCRIPT', main)
      .replace('ICON', icon)
      .replace('<!-- PRELOADS -->', more + preloads(main));
  const text = JSON.stringify({
    html: pageOf(script, `<script type="module" src="/assets/${begins}" fetchpriority="high" async></script>\n    `),
    rooms: pageOf(named('rooms-main-')),
    first,
    files,
  });
  const contents = `const built = ${text}; export const face = { ...built, files: new Map(built.files) };`;
  return { contents, metafile };
}

type Outputs = Readonly<
  Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
>;

/** Files that a script imports before it runs, and those that they import. */
function staticImports(script: string, outputs: Outputs): string[] {
  const found = new Set([`out/${script}`]);
  for (const name of found)
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === 'import-statement') found.add(path);
  return [...found].slice(1).map((name) => name.slice('out/'.length));
}

export default defineConfig({ ...library, entry: ['src/index.ts'], esbuildPlugins: [page] });
