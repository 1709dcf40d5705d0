import { createInterface } from 'node:readline';
import { cliCommand } from '../../syntax/define.js';
import { McpBridge } from '../../studio/mcp-bridge.js';
import { connectionFlags, studioConnection } from '../../studio/studio-connection.js';

export const mcp = cliCommand({
  flags: {
    ...connectionFlags,
    profile: {
      summary: 'Which tools; the internal ones are those that agents use.',
      value: 'name',
      choices: ['external', 'internal'],
      default: 'external',
    },
    json: { summary: 'Changes nothing: messages are JSON already.' },
  },
}).run(async ({ at, store, profile }, terminal) => {
  const isInternal = profile === 'internal';
  const connection = await studioConnection({ at, store }, isInternal ? 'admin' : 'operate', terminal);
  const bridge = new McpBridge(
    `${connection.origin}${isInternal ? '/mcp/internal' : '/mcp'}`,
    connection.token,
    terminal,
  );
  const lines = createInterface({ input: terminal.input() });
  terminal.stop.addEventListener('abort', () => lines.close());
  for await (const line of lines) if (line.trim() !== '') bridge.take(line);
  // A client that has closed stdin may still want the answers to what it asked.
  await bridge.end(terminal.stop.aborted);
});
