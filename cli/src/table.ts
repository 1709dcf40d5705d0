import { describe, exportRoom, importRoom, validate } from './commands/archive.js';
import { backup, restore } from './commands/backup.js';
import { bench } from './commands/bench.js';
import { completionOf } from './commands/completion.js';
import { demo } from './commands/demo.js';
import { doctor } from './commands/doctor.js';
import { gc } from './commands/gc.js';
import { mcpInstall } from './commands/mcp-install.js';
import { mcp } from './commands/mcp.js';
import { inspect as inspectPack } from './commands/pack.js';
import { clone, fetch, push } from './commands/remote.js';
import { replay } from './commands/replay.js';
import { compact, inspect, list, quarantine, resume, watch } from './commands/room.js';
import { serve } from './commands/serve.js';
import { studio } from './commands/studio.js';
import { showToken, token } from './commands/token.js';
import { up } from './commands/up.js';
import { answer } from './commands/answer.js';
import { approve } from './commands/approve.js';
import { cost } from './commands/cost.js';
import { follow } from './commands/follow.js';
import { retry } from './commands/retry.js';
import { review } from './commands/review.js';
import { run } from './commands/run.js';
import { status } from './commands/status.js';
import { stop } from './commands/stop.js';
import { forgetKey, listKeys, setKey } from './commands/key.js';
import type { CliCommand } from './syntax/define.js';

export const cliCommands: readonly CliCommand[] = [
  ...[up, run, status, follow, review, approve, answer, retry, stop, cost],
  ...[clone, fetch, push],
  ...[setKey, listKeys, forgetKey, showToken],
  ...[serve, studio, demo, token, mcp, mcpInstall],
  ...[backup, restore, gc, doctor],
  ...[list, inspect, compact, quarantine, resume, watch],
  ...[exportRoom, importRoom, validate, describe, replay],
  ...[bench, inspectPack, completionOf(() => cliCommands)],
];
