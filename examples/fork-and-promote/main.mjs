/** A plan that somebody tries out beside itself: the page's buttons fork the room, and merge a name of the fork back, or not. */
import { join } from 'node:path';
import { servePage } from '../serve-page.mjs';

const PLAN = 'plan';
let host;

/** Asks the host as its operator: the one event of that name, or why there is none. */
async function ask(name, command) {
  const { events } = await host.submit({ room_id: PLAN, command });
  const event = events.find((one) => name in one);
  return event ? event[name] : { refused: Object.values(events[0])[0] };
}

async function fill(ours) {
  host = ours;
  const plan = await host.room(PLAN);
  for (const [key, value] of [
    ['plan/title', 'Road map'],
    ['plan/budget', '1000'],
    ['plan/due', 'in May'],
  ])
    await plan.set(key, value);
}

/** A child begins with all that its parent holds. The plan names it, so every page shows it. */
async function fork() {
  const plan = await host.room(PLAN);
  const draft = `draft-${plan.seq}`;
  const created = await ask('ChildRoomCreated', {
    CreateTopologyChild: {
      child_room_id: draft,
      child_purpose: 'try a bold one',
      promotion_policy_id: 'promotion-based',
      parent_checkpoint: { canonical_hash: plan.stateHash, frontier: plan.heads.frontier }, // what it is a fork of
    },
  });
  if (!created.refused) await plan.set('draft', draft);
  return created;
}

/** Proposes names of a draft. What both have changed is refused, unless it is to be merged. */
async function propose(draft, pattern, isMerging) {
  const child = await host.room(draft);
  return ask('PromotionProposed', {
    ProposeTopologyPromotion: {
      child_room_id: draft,
      child_checkpoint_hash: child.stateHash, // what others have looked at
      payload_ref: `glob:${pattern}`,
      on_conflict: isMerging ? 'merge' : 'reject',
    },
  });
}

async function preview(draft) {
  const { refused, proposal_id } = await propose(draft, 'plan/**', true);
  return refused ? { refused } : ask('PromotionPreviewed', { PreviewTopologyPromotion: { proposal_id } });
}

async function merge(draft, key, how) {
  const { refused, proposal_id } = await propose(draft, key, how === 'anyway');
  if (refused) return { refused };
  const validated = await ask('PromotionValidated', { ValidateTopologyPromotion: { proposal_id } });
  return validated.refused ? validated : ask('PromotionApplied', { ApplyTopologyPromotion: { proposal_id } });
}

const answers = { fork, preview, merge };

await servePage(join(import.meta.dirname, 'page.js'), {
  fill,
  answer: async ({ method, url }) => {
    const [name, ...of] = url.slice(1).split('/').map(decodeURIComponent);
    return method === 'POST' ? answers[name]?.(...of) : undefined;
  },
});
