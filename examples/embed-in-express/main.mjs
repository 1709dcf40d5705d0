/** Weft inside an Express application: routes read and write rooms directly, and pages share them live. */
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory'; // or levelStore('./data') from '@weft/core/level'
import { startServer } from '@weft/server';
import { build } from 'esbuild';
import express from 'express';

const host = createHost({ store: memoryStore() });
const server = await startServer({ host, listen: '127.0.0.1:0', log: () => undefined });

const app = express();
app.use(express.json());
app.get('/plans/:room', async ({ params }, response) => {
  const room = await host.room(params.room);
  response.json(Object.fromEntries(room.entries('plan/')));
});
app.put('/plans/:room/:key', async ({ params, body }, response) => {
  const room = await host.room(params.room);
  await room.set(`plan/${params.key}`, body.value); // durable, and on every page, when it resolves
  response.sendStatus(204);
});
app.get('/live', (_request, response) => response.json({ url: new URL(server.url.replace('<room>', 'x')).origin }));

// The page, bundled as an application does it that has no tool for it yet.
const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, 'page.js')],
  bundle: true,
  format: 'esm',
  write: false,
  logLevel: 'error',
});
app.get('/', (_request, response) => response.sendFile(join(import.meta.dirname, 'page.html')));
app.get('/page.js', (_request, response) => response.type('js').send(outputFiles[0].text));

const listener = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`application on http://127.0.0.1:${listener.address().port}, rooms on ${server.url}`);
});

// Pages are told to come back, and nothing is written any more, before the process ends.
process.once('SIGTERM', async () => {
  listener.close();
  await server.close();
  await host.close();
});
