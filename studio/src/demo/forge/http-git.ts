/** Real git over HTTP on this machine: `git http-backend` behind a small server, as a vendor of repositories runs it. */
import { mkdir } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NEW_REPOSITORIES } from '../../workspace/git/calls/run-git.js';
import { runProgram } from '../../workspace/git/calls/run-program.js';

export interface GitServer {
  readonly origin: string;
  /** Folder of its repositories. */
  readonly folder: string;
  /** Requests so far, as method and path. */
  readonly asked: string[];
  /** What Basic authentication must say; anybody may come without. */
  credentials: string | undefined;
  /** What comes before git: answers whether it has answered itself. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  /** Address of a repository. */
  url(name: string): string;
  /** Creates an empty bare repository; answers its folder. */
  make(name: string): Promise<string>;
  close(): Promise<void>;
}

export async function openGitServer(folder: string): Promise<GitServer> {
  const server = createServer((request, response) => {
    void answer(request, response).catch(() =>
      response.headersSent ? response.destroy() : response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so its address is no path.
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const self: GitServer = {
    origin,
    folder,
    asked: [],
    credentials: undefined,
    before: () => false,
    url: (name) => `${origin}/${name}.git`,
    async make(name) {
      const path = join(folder, `${name}.git`);
      await mkdir(path, { recursive: true });
      await plainGit(path, ['init', '--quiet', '--bare', '--initial-branch=main', '--template=']);
      await plainGit(path, ['config', 'http.receivepack', 'true']);
      return path;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    self.asked.push(`${request.method} ${request.url}`);
    if (await self.before(request, response)) return;
    const { credentials } = self;
    const [, given = ''] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    if (credentials !== undefined && Buffer.from(given, 'base64').toString() !== credentials)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    else await backend(self, request, response);
  }
  return self;
}

/** Plain git in a folder; answers what it prints. */
export async function plainGit(folder: string, args: readonly string[]): Promise<string> {
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  const { PATH = '', HOME = '' } = process.env;
  const { ended } = runProgram({
    program: 'git',
    args,
    folder,
    base: { PATH, HOME },
    environment: NEW_REPOSITORIES,
    input: '',
    onOut: (bytes) => printed.push(bytes),
    onErr: (bytes) => said.push(bytes),
  });
  const { code } = await ended;
  if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${Buffer.concat(said).toString('utf8')}`);
  return Buffer.concat(printed).toString('utf8').trim();
}

/** Longest request: what is pushed is held at once. */
const MOST_BYTES = 64 << 20;

/** Runs the CGI program for one request. */
async function backend({ folder }: GitServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const input = await bodyOf(request);
  if (input === undefined) return void response.writeHead(413, { connection: 'close' }).end();
  const url = new URL(request.url ?? '/', 'http://localhost');
  const {
    'content-type': type = '',
    'content-encoding': encoding = '',
    'git-protocol': protocol = '',
  } = request.headers;
  let head = Buffer.alloc(0);
  let isBegun = false;
  const { ended, kill } = runProgram({
    program: 'git',
    args: ['http-backend'],
    folder,
    base: { PATH: process.env['PATH'] ?? '' },
    environment: {
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(protocol),
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: type,
      CONTENT_LENGTH: `${input.length}`,
      HTTP_CONTENT_ENCODING: String(encoding),
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: '127.0.0.1',
    },
    input,
    onOut: (bytes) => {
      if (isBegun) return void response.write(bytes);
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      isBegun = true;
      const headers = head
        .subarray(0, end)
        .toString('latin1')
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]);
      const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1];
      response.writeHead(
        Number(status?.slice(0, 3) ?? 200),
        Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
      );
      response.write(head.subarray(end + 4));
    },
    onErr: () => undefined,
  });
  response.on('close', kill);
  await ended;
  response.off('close', kill);
  if (isBegun) response.end();
  else response.writeHead(500).end();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Buffer).length;
    if (length > MOST_BYTES) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
