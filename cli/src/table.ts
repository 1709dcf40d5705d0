import { backup, restore } from './commands/backup.js';
import { gc } from './commands/gc.js';
import { serve } from './commands/serve.js';
import { studio } from './commands/studio.js';
import { token } from './commands/token.js';
import { up } from './commands/up.js';
import type { CliCommand } from './define.js';

export const cliCommands: readonly CliCommand[] = [up, serve, studio, token, backup, restore, gc];
