/** `weft open`: a link to the page of the studio that runs, for as much as was asked for. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([0-9a-f]{32})$/;

it('prints a link that lets a page in once, with the scope that was asked for', async () => {
  const store = join(await tempFolder(), 'data');
  const weft = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', store]);
  const [, at = ''] = await weft.line(/^(http:\S+)\/studio$/);
  for (const [flags, scope] of [
    [[], 'operate'],
    [['--scope', 'read'], 'read'],
    [['--scope', 'admin'], 'admin'],
  ] as const) {
    const asking = new WeftRun(['open', '--print', '--store', store, '--at', at, ...flags]);
    const [, origin = '', code = ''] = await asking.line(LINK);
    const redeem = (): Promise<Response> => fetch(`${origin}/studio/codes/${code}`, { method: 'POST' });
    expect(await (await redeem()).json()).toMatchObject({ scope });
    expect((await redeem()).status).toBe(401);
  }
  await weft.stop();
});
