/** `weft room …`: one command for each thing that can be done with a room. */
import { roomCompact, roomInspect, roomList, roomQuarantine, roomResume, roomWatch } from '@weft/server';
import { type Terminal, cliCommand } from '../define.js';
import { configOf, folderFlags } from '../flags.js';
import { operate } from '../operator.js';
import { fields, table } from '../show.js';

const operands = ['room'] as const;

export const list = cliCommand({
  name: 'room list',
  summary: 'List the rooms with their sizes, and which of them are shut.',
  flags: folderFlags,
}).run(async (flags, terminal) => {
  const rooms = await operate(configOf(flags, terminal), roomList, {}, terminal);
  if (flags.json) return terminal.out(JSON.stringify(rooms));
  const rows = rooms.map(({ room, nodes, bytes, shut = '' }) => [room, nodes, bytes, shut]);
  for (const line of table(['room', 'nodes', 'bytes', 'shut'], rows)) terminal.out(line);
});

export const inspect = cliCommand({
  name: 'room inspect',
  summary: 'Show what a room is: nodes, bytes, heads, the hash of its state, its lineage.',
  operands,
  flags: folderFlags,
}).run(async (flags, terminal, [room]) => {
  show(await operate(configOf(flags, terminal), roomInspect, { room }, terminal), flags.json, terminal);
});

export const compact = cliCommand({
  name: 'room compact',
  summary: 'Compact a room. No answer changes by it.',
  operands,
  flags: folderFlags,
}).run(async (flags, terminal, [room]) => {
  show(await operate(configOf(flags, terminal), roomCompact, { room }, terminal), flags.json, terminal);
});

export const quarantine = cliCommand({
  name: 'room quarantine',
  summary: 'Shut a room, across restarts too: its peers have to go, and nobody enters.',
  operands,
  flags: { ...folderFlags, reason: { summary: 'Why, for other operators.', value: 'text', default: 'an operator' } },
}).run(async (flags, terminal, [room]) => {
  const { reason, json } = flags;
  show(await operate(configOf(flags, terminal), roomQuarantine, { room, reason }, terminal), json, terminal);
});

export const resume = cliCommand({
  name: 'room resume',
  summary: 'Open a room again that was shut.',
  operands,
  flags: folderFlags,
}).run(async (flags, terminal, [room]) => {
  show(await operate(configOf(flags, terminal), roomResume, { room }, terminal), flags.json, terminal);
});

export const watch = cliCommand({
  name: 'room watch',
  summary:
    'Print each node that is written to a room, a line of JSON each, until it is stopped. Keys are shown, values are not.',
  operands,
  flags: folderFlags,
}).run(async (flags, terminal, [room]) => {
  const told = (node: unknown): void => terminal.out(JSON.stringify(node));
  await operate(configOf(flags, terminal), roomWatch, { room }, terminal, told).catch((error: unknown) => {
    if (!terminal.stop.aborted) throw error;
  });
});

function show(result: object, json: boolean, terminal: Terminal): void {
  if (json) return terminal.out(JSON.stringify(result));
  for (const line of fields(result)) terminal.out(line);
}
