import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectionFlags } from '../../studio/studio-connection.js';
import { type Terminal, UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

/** Clients of the Model Context Protocol, and where each keeps its servers. */
const CLIENTS = {
  claude: { file: '.mcp.json', under: 'mcpServers', about: 'Claude Code, for the project in this folder' },
  cursor: { file: '.cursor/mcp.json', under: 'mcpServers', about: 'Cursor, for the project in this folder' },
  vscode: { file: '.vscode/mcp.json', under: 'servers', about: 'VS Code, for the workspace in this folder' },
  codex: { file: undefined, under: 'mcp_servers', about: 'Codex, in ~/.codex/config.toml' },
} as const;

type ClientName = keyof typeof CLIENTS;

export const mcpInstall = cliCommand({
  operands: ['claude|codex|cursor|vscode'],
  flags: {
    write: { summary: 'Write it. Other servers in the file stay.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ write, at, store, json }, terminal, [name]) => {
  if (!isClient(name)) throw new UsageError(`weft mcp install takes ${Object.keys(CLIENTS).join(', ')}, not ${name}`);
  const { file, under, about } = CLIENTS[name];
  const server = serverOf(at, store);
  if (json) return terminal.out(JSON.stringify({ client: name, file: file ?? null, server }));
  if (file === undefined) {
    if (write)
      throw new UsageError(
        '~/.codex/config.toml is not written by weft: run it without --write, and add what it prints',
      );
    terminal.err(`weft: for ${about}:`);
    return terminal.out(
      `[${under}.weft]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}`,
    );
  }
  if (write) return written(resolve(file), under, server, terminal);
  terminal.err(`weft: for ${about}, in ${file} (--write puts it there):`);
  terminal.out(JSON.stringify({ [under]: { weft: server } }, null, 2));
});

interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** This very program by its path: what is called weft elsewhere may be another one. */
function serverOf(at: string | undefined, store: string | undefined): ServerEntry {
  // From the folder of what is built, where all commands lie side by side.
  const program = fileURLToPath(new URL('../bin/weft.js', import.meta.url));
  const where = [
    ...(at === undefined ? [] : ['--at', at]),
    ...(store === undefined ? [] : ['--store', resolve(store)]),
  ];
  return { command: process.execPath, args: [program, 'mcp', ...where] };
}

async function written(path: string, under: string, server: ServerEntry, terminal: Terminal): Promise<void> {
  const before = await contentOf(path);
  const servers = before[under];
  const others = typeof servers === 'object' && servers !== null ? servers : {};
  await mkdir(dirname(path), { recursive: true });
  // Whole or not at all: other servers stand in it.
  const aside = join(dirname(path), `.weft-${process.pid}.json`);
  await writeFile(aside, `${JSON.stringify({ ...before, [under]: { ...others, weft: server } }, null, 2)}\n`);
  await rename(aside, path);
  terminal.out(`${path} has the server weft; start the client again to see its tools`);
}

async function contentOf(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new UsageError(`${path} cannot be read (${error.code})`, { cause: error });
  });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // A file with comments, or half of one: to write it would lose what is in it.
  }
  throw new UsageError(`${path} is no plain JSON: run it without --write, and add what it prints by hand`);
}

function isClient(name: string): name is ClientName {
  return Object.hasOwn(CLIENTS, name);
}
