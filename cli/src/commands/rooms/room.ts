/** `weft room list` and `weft room watch`, which show what is so. What is done with one room are words: see `words.ts`. */
import { type Watched, roomList, roomWatch, shownStore } from '@weft/server';
import { cliCommand } from '../../syntax/define.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { operate } from '../../serving/operator.js';
import { table } from '../../output/show.js';

const operands = ['room'] as const;

export const list = cliCommand({
  flags: folderFlags,
}).run(async (flags, terminal) => {
  const rooms = await operate(configOf(flags, terminal), roomList, {}, terminal);
  if (flags.json) return terminal.out(JSON.stringify(rooms));
  const rows = rooms.map(({ room, nodes, bytes, shut = '' }) => [room, nodes, bytes, terminal.paint('red', shut)]);
  for (const line of table(['room', 'nodes', 'bytes', 'shut'], rows, terminal)) terminal.out(line);
});

export const watch = cliCommand({
  operands,
  flags: folderFlags,
}).run(async (flags, terminal, [room]) => {
  const told = (watched: unknown): void => {
    // Not parsed: the server and this program are of one release, or nearly.
    terminal.out(flags.json ? JSON.stringify(watched) : lineOf(watched as Watched));
  };
  const config = configOf(flags, terminal);
  const needsServer = `no server runs on ${shownStore(config.store)}, so nothing happens there; start one with weft serve`;
  await operate(config, roomWatch, { room }, terminal, { told, needsServer }).catch((error: unknown) => {
    if (!terminal.stop.aborted) throw error;
  });
});

function lineOf(watched: Watched): string {
  if ('node' in watched) {
    const { seq, author, ops } = watched.node;
    return `  ${seq}  ${author.slice(0, 8)}  ${ops.map(({ kind, key }) => `${kind} ${key}`).join(', ')}`;
  }
  const { status } = watched;
  const peers = status.peers.map(({ pubkey, peer_type }) => `${pubkey.slice(0, 13)} (${peer_type})`);
  return [
    `${status.nodes} nodes, ${status.nodes_per_s}/s`,
    status.heads === undefined ? 'not in memory' : `${status.heads} heads`,
    `${peers.length} peers${peers.length > 0 ? `: ${peers.join(', ')}` : ''}`,
    `${status.pushes_waiting} pushes wait`,
    `parked ${share(status.parked_bytes, status.parked_limit_bytes)}`,
    `inbox of all ${share(status.inbox_bytes, status.inbox_limit_bytes)}`,
  ].join('; ');
}

function share(bytes: number, limit: number): string {
  return `${bytes} of ${limit} bytes`;
}
