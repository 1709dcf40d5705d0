/** Pages in Chromium against a real server: one browser profile, whose pages run a script that a test gives. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type HostOptions, createHost, type Host } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { type RunningServer, createYjsGateway, startServer } from '@weft/server';
import { type Plugin, build } from 'esbuild';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { browser } from './browser.js';

export interface PageScript {
  readonly js: string;
  readonly css: string;
}

/**
 * Script as an application would bundle it; its last act is to define `globalThis.enter`. Beside it other modules by their
 * names, for what needs a compiler of its own.
 */
export async function pageScript(code: string, modules: Readonly<Record<string, string>> = {}): Promise<PageScript> {
  const resolveDir = join(import.meta.dirname, '../../../client/web');
  const given: Plugin = {
    name: 'given',
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path }) => (path in modules ? { path, namespace: 'given' } : undefined));
      build.onLoad({ filter: /./, namespace: 'given' }, ({ path }) => ({ contents: modules[path] ?? '', resolveDir }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir },
    plugins: [given],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"development"' },
    loader: { '.ttf': 'dataurl' },
    outdir: import.meta.dirname,
    write: false,
    logLevel: 'error',
  });
  const text = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { js: text('.js'), css: text('.css') };
}

export interface PageWorld {
  /** The one that serves now. */
  readonly host: Host;
  readonly url: string;
  readonly faults: string[];
  /** The server goes, and comes back at its address with the same rooms; as another process where that signs otherwise. */
  down(): Promise<void>;
  up(authority?: HostOptions['authority']): Promise<void>;
  /** Another page of one browser profile: one device. */
  page(): Promise<Page>;
}

export interface PageWorldOptions {
  /** Flags that the browser is started with. */
  readonly flags?: readonly string[];
  /** Public key whose tokens hold. */
  readonly adminKey?: string;
  /** Whether clients of Yjs are served, too. */
  readonly yjs?: boolean;
  /** Whom the host signs as in a room. Default: itself. */
  readonly authority?: HostOptions['authority'];
}

const HTML = `<!doctype html><title>page</title><link rel="icon" href="data:," /><link rel="stylesheet" href="/page.css" />
<body><script type="module" src="/page.js"></script></body>`;

export async function pageWorld(
  { js, css }: PageScript,
  { flags = [], yjs = false, ...hosting }: PageWorldOptions = {},
): Promise<PageWorld> {
  const store = memoryStore();
  const hostFor = (authority = hosting.authority): Host =>
    createHost({ store, ...hosting, ...(authority === undefined ? {} : { authority }) });
  let host = hostFor();
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html; charset=utf-8', HTML],
    '/page.js': ['text/javascript; charset=utf-8', js],
    '/page.css': ['text/css; charset=utf-8', css],
  };
  const serve = async (listen: string): Promise<RunningServer> =>
    startServer({ host, ...(yjs ? { yjs: await createYjsGateway({ host }) } : {}), listen });
  let server = await serve('127.0.0.1:0');
  const listen = new URL(server.url.replace('<room>', 'x')).host;
  // Storage and locks need an origin, and a script with an address is compiled once for all pages of a browser.
  const site = createServer(({ url }, response) => {
    const [type, text] = files[url ?? ''] ?? files['/']!;
    response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=600' }).end(text);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  onTestFinished(async () => {
    site.closeAllConnections();
    site.close();
    await server.close();
    await host.close();
  });
  const context = await (await browser(...flags)).newContext();
  const faults: string[] = [];
  const page = async (): Promise<Page> => {
    const opened = await context.newPage();
    opened.on('pageerror', (error) => faults.push(String(error)));
    opened.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    await opened.goto(`http://127.0.0.1:${port}/`);
    await opened.waitForFunction('globalThis.enter !== undefined');
    return opened;
  };
  const down = async (): Promise<void> => server.close();
  const up: PageWorld['up'] = async (authority) => {
    if (authority !== undefined) {
      await host.close();
      host = hostFor(authority);
    }
    server = await serve(listen);
  };
  return {
    get host() {
      return host;
    },
    url: `ws://${listen}`,
    faults,
    page,
    down,
    up,
  };
}
