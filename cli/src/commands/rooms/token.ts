import { join } from 'node:path';
import { CAPABILITIES, READ_ONLY, parseRoomId, signToken } from '@weft/core';
import type { Scope } from '@weft/studio';
import { ADMIN_KEY, readKey } from '../../serving/admin-key.js';
import { mustHaveFolder } from '../../serving/stores.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { secondsIn } from '../../syntax/duration.js';
import { configFlag, folderFlags, jsonFlag } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { connectionFlags, studioConnection } from '../../studio/studio-connection.js';

/** Rights as they are named: capabilities, and where the peer may read and write. */
const RIGHTS = [...CAPABILITIES, 'read:<glob>', 'write:<glob>', READ_ONLY].join(', ');

export const token = cliCommand({
  flags: {
    room: { summary: 'Id of the room.', value: 'id' },
    peer: { summary: "The peer's public key.", value: 'hex' },
    caps: {
      summary: `Rights, with commas between them: ${RIGHTS}. With one that names where, just that is granted.`,
      value: 'a,b',
      default: '',
      mayBeEmpty: true,
    },
    ttl: { summary: 'How long it holds: a number with s, m, h or d.', value: 'time', default: '1h' },
    'admin-key': {
      summary: "The file with the server's or the room's key.",
      value: 'file',
      initially: '`admin.key` in the data folder',
    },
    store: folderFlags.store,
    config: configFlag,
    json: { summary: 'Changes nothing: a token is JSON.' },
  },
}).run(async (flags, terminal) => {
  const { room, peer, caps, ttl } = flags;
  if (room === undefined || !parseRoomId(room))
    throw new UsageError('--room must be the id of a room, as in ws://…/ws/<room>');
  if (peer === undefined || !/^[0-9a-f]{64}$/i.test(peer))
    throw new UsageError('--peer must be 64 hex characters: its public key');
  const listed = caps.split(',').filter((cap) => cap !== '');
  const bad = listed.find((cap) => !/^[\x21-\x7e]+$/.test(cap));
  if (bad !== undefined) throw new UsageError(`--caps: ${JSON.stringify(bad)} must be printable ASCII without spaces`);
  const words: readonly string[] = [...CAPABILITIES, READ_ONLY];
  const unknown = listed.find((cap) => !/^(read|write):./.test(cap) && !words.includes(cap));
  if (unknown !== undefined) throw new UsageError(`--caps: there is no right ${unknown}; there are ${RIGHTS}`);
  const writes = listed.find((cap) => cap.startsWith('write:'));
  if (writes !== undefined && listed.includes(READ_ONLY))
    throw new UsageError(`--caps: ${READ_ONLY} lets its peer write nowhere, so leave it out, or leave out ${writes}`);
  const expiry = Math.floor(Date.now() / 1000) + secondsIn('ttl', ttl);
  const config = configOf(flags, terminal);
  const { seed } = await readKey(
    config['admin-key'] ?? join(mustHaveFolder(config.store, 'a token without --admin-key'), ADMIN_KEY),
  );
  terminal.out(JSON.stringify(await signToken({ room, peer: peer.toLowerCase(), expiry, caps: listed }, seed)));
});

export const showToken = cliCommand({
  flags: {
    scope: {
      summary: 'What it may do.',
      value: 'name',
      choices: ['read', 'operate', 'admin'],
      default: 'operate',
    },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ scope, json, ...given }, terminal) => {
  const { origin, token: text, tokenFrom } = await studioConnection(given, scope as Scope, terminal);
  terminal.out(json ? JSON.stringify({ origin, scope, token: text }) : text);
  if (!json) terminal.err(`weft: for ${origin}, from ${tokenFrom}`);
});
