/**
 * The one table of commands. Every export of a noun's file is in it, so a new command is one constant
 * in one file. Doors (the session, the embedding API, the documentation) loop over it.
 */
import type { CommandTable } from '../contract/command-table.js';
import type { Command } from '../contract/command.js';
import type { HostCommand } from '../contract/host-command.js';
import * as notices from '../wire/notices.js';
import * as admin from './admin.js';
import * as archive from './archive.js';
import * as blobs from './blobs.js';
import * as compact from './compact.js';
import * as conflicts from './conflicts.js';
import * as deletion from './delete.js';
import * as dropping from './drop.js';
import * as events from './events.js';
import * as inspect from './inspect.js';
import * as join from './join.js';
import * as lists from './lists.js';
import * as presence from './presence.js';
import * as prove from './prove.js';
import * as query from './query.js';
import * as reconcile from './reconcile.js';
import * as relay from './relay.js';
import * as rooms from './rooms.js';
import * as sessions from './sessions.js';
import * as subjects from './subjects.js';
import * as sync from './sync.js';
import * as texts from './texts.js';
import * as tick from './tick.js';
import * as topology from './topology.js';
import * as values from './values.js';
import * as watch from './watch.js';

const nouns = {
  join,
  sync,
  reconcile,
  blobs,
  relay,
  admin,
  compact,
  deletion,
  dropping,
  tick,
  topology,
  archive,
  query,
  events,
  watch,
  prove,
  rooms,
  sessions,
  subjects,
  presence,
  values,
  texts,
  lists,
  conflicts,
  inspect,
};

const all: readonly (Command | HostCommand)[] = Object.values(nouns).flatMap((noun) => Object.values(noun));

export const commandTable: CommandTable = {
  commands: new Map(all.flatMap((entry) => (entry.kind === 'command' ? [[entry.type, entry]] : []))),
  hostCommands: new Map(all.flatMap((entry) => (entry.kind === 'host-command' ? [[entry.variant, entry]] : []))),
  notices,
};
