/** Server of a page and its rooms: bundles the page's script, and says at which address it is to be looked at. */
import { createServer } from 'node:http';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { build } from 'esbuild';

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Weft</title><body><script type="module" src="/page.js"></script>';

/**
 * Serves a page. `settings` are of the host, `fill` writes what its rooms begin with, `gateway` makes a way in for clients of Yjs,
 * `answer` gives what the page fetches as JSON, `hash` ends the address that is said. Answers the host name of the rooms.
 */
export async function servePage(entry, { settings, fill, gateway, answer, hash = '' } = {}) {
  const host = createHost({ store: memoryStore(), ...settings });
  await fill?.(host);
  const yjs = await gateway?.({ host });
  const rooms = await startServer({ host, yjs, listen: '127.0.0.1:0', log: () => undefined });
  const { origin, host: audience } = new URL(rooms.url.replace('<room>', 'x'));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    loader: { '.html': 'text' },
    define: { ROOMS: JSON.stringify(origin), 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'error',
  });
  const site = createServer(async (request, response) => {
    const { url } = request;
    if (url === '/') return response.setHeader('content-type', 'text/html').end(PAGE);
    if (url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(outputFiles[0].contents);
    const answered = await answer?.(request);
    response.statusCode = answered ? 200 : 404;
    response.end(JSON.stringify(answered));
  });
  await new Promise((resolve) => site.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', resolve));
  console.log(`http://127.0.0.1:${site.address().port}/${hash}`);
  process.once('SIGTERM', async () => {
    site.close();
    site.closeAllConnections();
    await rooms.close();
    await host.close();
  });
  return audience;
}
