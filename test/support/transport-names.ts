/** Transports that there are for this Node: uWebSockets.js is a binary for each version of Node, and follows them later. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type TransportName = 'uws' | 'ws';

const { arch, platform, versions } = process;
const binary = `./bin/uws_${platform}_${arch}_${versions.modules}.node`;

export const hasUws = existsSync(fileURLToPath(new URL(binary, import.meta.resolve('uWebSockets.js'))));
if (!hasUws)
  console.warn(`uWebSockets.js has no binary for Node ${versions.node}: what is tested over it is left out.`);

export const transportNames: readonly TransportName[] = hasUws ? ['uws', 'ws'] : ['ws'];

/** The one that a server takes which is told none. */
export const defaultTransport: TransportName = hasUws ? 'uws' : 'ws';
