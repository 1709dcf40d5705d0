/** Fork of a room: somebody tries something in a child that holds all that its parent does, and it is merged back, or not. */
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';

const host = createHost({ store: memoryStore() });

/** Asks the host as its operator, and answers the one event of that name. */
async function ask(roomId, name, command) {
  const { events } = await host.submit({ room_id: roomId, command });
  const event = events.find((one) => name in one);
  if (!event) throw new Error(`no ${name}: ${JSON.stringify(events)}`);
  return event[name];
}

const plan = await host.room('plan');
await plan.set('title', 'Road map');
await plan.set('budget', 1000);

await ask('plan', 'ChildRoomCreated', {
  CreateTopologyChild: {
    child_room_id: 'plan-draft',
    child_purpose: 'try a bold one',
    promotion_policy_id: 'promotion-based',
    parent_checkpoint: { canonical_hash: plan.stateHash, frontier: plan.heads.frontier }, // what it is a fork of
  },
});
const draft = await host.room('plan-draft');
console.log(`the draft begins with ${draft.get('title')}`);
await draft.set('title', 'A bold road map');
await plan.set('budget', 1200); // meanwhile
console.log(`plan: ${plan.get('title')}; draft: ${draft.get('title')}, ${draft.get('budget')}`);

const { proposal_id } = await ask('plan', 'PromotionProposed', {
  ProposeTopologyPromotion: {
    child_room_id: 'plan-draft',
    child_checkpoint_hash: draft.stateHash, // what others have looked at
    payload_ref: 'glob:title',
  },
});
const { changes } = await ask('plan', 'PromotionPreviewed', { PreviewTopologyPromotion: { proposal_id } });
console.log(`would change ${changes.map(({ key, is_conflict }) => `${key}${is_conflict ? ', in conflict' : ''}`)}`);
await ask('plan', 'PromotionValidated', { ValidateTopologyPromotion: { proposal_id } });
await ask('plan', 'PromotionApplied', { ApplyTopologyPromotion: { proposal_id } });
console.log(`plan: ${plan.get('title')}, ${plan.get('budget')}`);
await host.close();
