// Servers that the benches put side by side.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rivalVersion } from '../rivals/package-loader.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { startHocuspocus } from '../rivals/hocuspocus.js';
import { startJazz } from '../rivals/jazz.js';
import { startTldraw } from '../rivals/tldraw.js';
import { startYWebsocket } from '../rivals/y-websocket.js';
import { startRawUws } from './raw-uws.js';
import { startRawWs } from './raw-ws.js';
import type { ServerEntry } from './server-entry.js';
import { startWeft } from './weft-server.js';

const verified = 'verified, durable';
const kept = ['verifies nothing', 'keeps nothing'];

const servers: readonly ServerEntry[] = [
  {
    name: 'weft',
    start: (asked) => startWeft({ transport: 'uws', ...asked }),
    dialect: 'weft',
    doesNot: [verified],
  },
  {
    name: 'weft deployed',
    start: (asked) => startWeft({ transport: 'uws', ...asked }),
    dialect: 'weft',
    environment: deployedEnvironment,
    doesNot: [verified],
  },
  {
    name: 'weft ws',
    start: (asked) => startWeft({ transport: 'ws', ...asked }),
    dialect: 'weft',
    doesNot: [verified],
  },
  {
    name: 'weft memory',
    start: ({ idleMs }) => startWeft({ transport: 'uws', idleMs }),
    dialect: 'weft',
    doesNot: ['keeps nothing'],
  },
  {
    name: 'hocuspocus',
    start: startHocuspocus,
    dialect: 'hocuspocus',
    packageName: '@hocuspocus/server',
    doesNot: kept,
  },
  {
    name: 'y-websocket',
    start: startYWebsocket,
    dialect: 'y-websocket',
    packageName: '@y/websocket-server',
    doesNot: kept,
  },
  {
    name: 'tldraw',
    start: startTldraw,
    dialect: 'tldraw',
    packageName: '@tldraw/sync-core',
    doesNot: [...kept, 'a record an edit', 'waits up to 17 ms for more to send together'],
  },
  {
    name: 'jazz',
    start: startJazz,
    dialect: 'jazz',
    packageName: 'cojson',
    doesNot: ['verifies', 'keeps nothing', 'an item of a list an edit'],
  },
  { name: 'raw ws', start: startRawWs, dialect: 'raw', doesNot: ['only passes on'] },
  { name: 'raw uws', start: startRawUws, dialect: 'raw', doesNot: ['only passes on'] },
];

/** Variables that `deploy/weft.service` starts the server with. */
function deployedEnvironment(): Record<string, string> {
  const unit = readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'weft.service'), 'utf8');
  const lines = unit.matchAll(/^Environment=([A-Z_]+)=(\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

export function findServer(name: string): ServerEntry {
  const entry = servers.find((candidate) => candidate.name === name);
  if (entry) return entry;
  throw new Error(`No server is called ${name}: choose among ${servers.map((one) => one.name).join(', ')}.`);
}

/** Servers of a run: those asked for, or those of the bench, with rivals only when they take part. */
export function chooseServers(
  names: readonly string[],
  { libs, rivals }: { readonly libs: readonly string[]; readonly rivals: boolean },
): readonly ServerEntry[] {
  const wanted = libs.length > 0 ? libs : names;
  return wanted.map(findServer).filter(({ packageName }) => rivals || packageName === undefined);
}

export function versionOf({ packageName }: ServerEntry): string {
  return packageName === undefined ? WEFT_VERSION : rivalVersion(packageName);
}
