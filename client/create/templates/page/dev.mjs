/** Rooms and the page, on this machine alone: the page is built anew when it is loaded. What is written lies in `data`. */
import { createServer } from 'node:http';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { startServer } from '@weft/server';
import { build } from 'esbuild';

const host = createHost({ store: levelStore('data') });
const rooms = await startServer({ host, listen: `127.0.0.1:${process.env.ROOMS_PORT ?? 7878}` });
const url = rooms.url.replace('/ws/<room>', '');

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft</title>
<div id="app"></div>
<script>globalThis.WEFT_URL = '${url}'</script>
<script type="module" src="/page.js"></script>
</html>`;

async function pageScript() {
  const { outputFiles } = await build({
    entryPoints: ['./page'],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    sourcemap: 'inline',
    write: false,
  });
  return outputFiles[0].text;
}

const site = createServer(async (request, response) => {
  try {
    const [type, body] =
      request.url === '/page.js' ? ['text/javascript', await pageScript()] : ['text/html; charset=utf-8', PAGE];
    response.setHeader('content-type', type).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
site.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`Open http://127.0.0.1:${site.address().port} in two windows. Rooms are at ${url}.`);
});

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    site.closeAllConnections();
    site.close();
    await rooms.close();
    await host.close();
  });
