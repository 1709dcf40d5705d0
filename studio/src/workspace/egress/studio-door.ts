/**
 * Door of one agent program to the studio's tools: requests for one path go to the studio, and nothing else that it serves is
 * reached this way. Both ends are on this machine, so nothing is held back: what comes is passed on as it comes.
 */
import { type Server, createServer, request as httpRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Time without a byte after which a request is given up: a tool may take long. */
const IDLE_MS = 1_800_000;

/** Server that takes requests for the path of an address, and passes them on to it. It listens nowhere itself. */
export function studioDoor(address: string): Server {
  const { hostname, port, pathname } = new URL(address);
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== pathname) {
      response.writeHead(404, { 'content-type': 'text/plain', connection: 'close' });
      response.end('weft: programs of agents reach the tools of their own unit here, and nothing else\n');
      return;
    }
    const far = httpRequest({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      method: request.method!,
      path: request.url!,
      headers: { ...request.headers, host: `127.0.0.1:${port}` },
      timeout: IDLE_MS,
      agent: false,
    });
    const broken = (): void => void (response.headersSent ? response.destroy() : response.writeHead(502).end());
    far.on('timeout', () => far.destroy());
    far.on('error', broken);
    far.on('response', (heard) => {
      response.writeHead(heard.statusCode!, heard.headers);
      pipeline(heard, response).catch(broken);
    });
    // Who asked and has gone waits for no answer.
    response.on('close', () => far.destroy());
    pipeline(request, far).catch(() => undefined);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  return server;
}
