import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';
import { Services } from '../../serving/services.js';

export const demo = cliCommand({
  flags: {
    folder: {
      summary: 'Folder to work in and to keep; a demonstration that was begun there goes on. A passing one without.',
      value: 'folder',
    },
    remote: {
      summary: 'Show it with a forge instead, made on this machine: issue, request, review, answer, merge.',
    },
    json: jsonFlag,
  },
}).run(async ({ folder: given, remote, json }, terminal) => {
  const { runDemo, runRemoteDemo } = await import('@weft/studio');
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'weft-demo-')));
  try {
    const { passed } = await Services.with(terminal, async (services) =>
      (remote ? runRemoteDemo : runDemo)({
        host: await services.host(join(folder, 'store')),
        folder,
        say: (line: string) => (json ? terminal.err : terminal.out)(line),
        signal: terminal.stop,
      }),
    );
    const repository = given === undefined ? undefined : join(folder, 'calculator');
    if (json) terminal.out(JSON.stringify({ passed, repository }));
    if (!passed) throw new Error("the repository's own tests fail");
    terminal.err(
      repository === undefined
        ? 'nothing of it is kept; with --folder <folder> it is'
        : `the repository is in ${repository}`,
    );
  } finally {
    if (given === undefined) await rm(folder, { recursive: true, force: true });
  }
});
