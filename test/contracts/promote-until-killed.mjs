// Opens the store of a folder and merges a child into its parent, again and again, until it is killed. Lines on stdout: `open`,
// `applying <proposal>`, `applied <proposal>`.
import { writeSync } from 'node:fs';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';

const [folder, first, parts] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const host = createHost({ store: levelStore(folder) });
const ask = (variant, payload) => host.submit({ room_id: 'parent', command: { [variant]: payload } });
const child = await host.room('child');
say('open');

for (let number = Number(first); ; number++) {
  const proposal_id = `p${number}`;
  // Every other proposal is larger than a frame, so it becomes several records of the log.
  const length = number % 2 === 0 ? 10 : 1_000_000;
  for (let part = 0; part < Number(parts); part++)
    await child.set(`${proposal_id}/${part}`, new Uint8Array(length).fill(part));
  const wanted = { child_room_id: 'child', child_checkpoint_hash: child.stateHash, payload_ref: 'all' };
  await ask('ProposeTopologyPromotion', { ...wanted, idempotency_key: proposal_id });
  await ask('ValidateTopologyPromotion', { proposal_id });
  say(`applying ${proposal_id}`);
  await ask('ApplyTopologyPromotion', { proposal_id });
  say(`applied ${proposal_id}`);
}
