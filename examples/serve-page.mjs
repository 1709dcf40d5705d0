/** Server of a page and its rooms: bundles the page's script, and says at which address it is to be looked at. */
import { createServer } from 'node:http';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { build } from 'esbuild';

export async function servePage(entry, fill = async () => undefined) {
  const host = createHost({ store: memoryStore() });
  await fill(host);
  const rooms = await startServer({ host, listen: '127.0.0.1:0', log: () => undefined });
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: {
      ROOMS: JSON.stringify(new URL(rooms.url.replace('<room>', 'x')).origin),
      'process.env.NODE_ENV': '"production"',
    },
    write: false,
    logLevel: 'error',
  });
  const page =
    '<!doctype html><meta charset="utf-8"><title>Weft</title><body><script type="module" src="/page.js"></script>';
  const site = createServer(({ url }, response) => {
    const [type, body] = url === '/page.js' ? ['text/javascript', outputFiles[0].contents] : ['text/html', page];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise((resolve) => site.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', resolve));
  console.log(`http://127.0.0.1:${site.address().port}`);
  process.once('SIGTERM', async () => {
    site.close();
    site.closeAllConnections();
    await rooms.close();
    await host.close();
  });
}
