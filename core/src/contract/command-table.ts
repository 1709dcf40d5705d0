/** Command table: what doors (the session, the embedding API, the documentation) loop over. */
import type * as notices from '../wire/notices.js';
import type { Command } from './command.js';
import type { HostCommand } from './host-command.js';

export interface CommandTable {
  /** By frame type. */
  readonly commands: ReadonlyMap<string, Command>;
  /** By variant. */
  readonly hostCommands: ReadonlyMap<string, HostCommand>;
  readonly notices: typeof notices;
}
