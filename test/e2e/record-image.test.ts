import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { WORKGROUP_ROOM, newTokens, startStudio } from '@weft/studio';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const UNITS = 1001;
/** Bytes of an image's seal: length and CRC. */
const SEAL = 8;

/** Runs a studio in a folder once; answers its list of work units as text. */
async function runOnce(folder: string, fill = false): Promise<string> {
  const host = createHost({ store: levelStore(folder) });
  if (fill) await fillRecord(await host.room(WORKGROUP_ROOM));
  const tokens = newTokens();
  const confinement = { unconfined: true };
  const studio = await startStudio({ host, folder, tokens, confinement, listen: '127.0.0.1:0', log: () => undefined });
  const headers = { authorization: `Bearer ${tokens.admin}` };
  const answer = await fetch(`${studio.url}/workunits?limit=1000`, { headers });
  const text = await answer.text();
  await studio.close();
  await host.close();
  return text;
}

async function fillRecord(room: { transact(decide: () => { writes: never; result: undefined }): Promise<unknown> }) {
  const writes = Array.from({ length: UNITS }, (_, n) => {
    const workUnitId = `wu-${n}`;
    const meta = { at: '2024-05-06T07:08:09.000Z', by: 'ann', workUnitId };
    const given = { workUnitId, goal: `goal ${n}`, branchId: `work-${n}`, owner: 'ann' };
    const policies = { taskReviewPolicy: 'HumanRequired', workspaceReviewPolicy: 'HumanRequired' };
    const more = { dependsOn: [], fileScope: [], bypassPromotionBranch: false, expectedOutputKind: 'FileChange' };
    const created = { type: 'WorkUnitCreated', v: 1, ...given, ...policies, ...more, meta };
    const changed = { type: 'WorkUnitGoalAmended', v: 1, correction: 'and more', meta };
    return [
      { key: `studio/work-unit/${workUnitId}/0`, value: created },
      { key: `studio/work-unit/${workUnitId}/1`, value: changed },
    ];
  }).flat();
  await room.transact(() => ({ writes: writes as never, result: undefined }));
}

it('a studio starts from the image that it left, shows the same, and needs none', async () => {
  const folder = await tempFolder();
  const path = join(folder, 'studio', 'record.image');
  const first = await runOnce(folder, true);
  expect(first).toContain('goal 999');
  const image = await readFile(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await runOnce(folder)).toBe(first);
  // What shows that it is read: a state that says otherwise, with a seal of its own.
  const [body, seal] = [Buffer.from(image.subarray(0, -SEAL)), image.subarray(-SEAL)];
  body.write('goal 000', body.indexOf('goal 999'));
  seal.writeUInt32LE(crc32(body), SEAL / 2);
  await writeFile(path, Buffer.concat([body, seal]));
  expect(await runOnce(folder)).toContain('goal 000');
  await writeFile(path, body);
  expect(await runOnce(folder)).toBe(first);
});
