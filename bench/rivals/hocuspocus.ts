import { importRival } from './package-loader.js';

interface Server {
  listen(): Promise<unknown>;
  readonly address: { readonly port: number };
}

interface Hocuspocus {
  readonly Server: new (options: object) => Server;
}

/** Peers of the benches are silent for longer than the minute after which it ends a connection; its own clients say something before. */
const SILENCE_MS = 3_600_000;

export async function startHocuspocus(): Promise<string> {
  const { Server } = (await importRival('@hocuspocus/server')) as Hocuspocus;
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    quiet: true,
    stopOnSignals: false,
    timeout: SILENCE_MS,
  });
  await server.listen();
  return `ws://127.0.0.1:${server.address.port}/`;
}
