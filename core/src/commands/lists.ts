/** Lists through the embedding API: keys are `namespace/key`, and items have names. Rule HC5. */
import { z } from 'zod';
import { hostCommand } from '../contract/host-command.js';

const Of = {
  namespace: z.string().min(1).describe('First part of the key.'),
  key: z.string().min(1).describe('Rest of the key.'),
};
const Told = { namespace: z.string(), key: z.string() };
const Index = z.number().int().nonnegative();
const Value = z.unknown().describe('Anything that MessagePack can hold.');
const Id = z.string().describe('Id of the item: the node that inserted it, and the offset there.');
const Found = z.boolean().describe('False when there is no such item.');

const Inserted = z.object({ ...Told, id: Id, index: Index.describe('Where it stands.'), value: z.unknown() });

export const listPush = hostCommand({
  variant: 'ListPush',
  event: 'ListValuePushed',
  summary: 'Add an item at the end of a list; answers when it is durable.',
  in: z.object({ ...Of, value: Value }),
  out: Inserted,
}).run(async ({ tenancy }, { namespace, key, value }) => {
  const { nodeId, result } = await tenancy.room.edit((edits) =>
    edits.insertItem(`${namespace}/${key}`, Number.POSITIVE_INFINITY, value),
  );
  return { namespace, key, id: `${nodeId}:0`, index: result, value };
});

export const listInsert = hostCommand({
  variant: 'ListInsert',
  event: 'ListValueInserted',
  summary: 'Insert an item into a list; answers when it is durable.',
  in: z.object({
    ...Of,
    index: Index.describe('Where it is to stand; at the end if the list is shorter.'),
    value: Value,
  }),
  out: Inserted,
}).run(async ({ tenancy }, { namespace, key, index, value }) => {
  const { nodeId, result } = await tenancy.room.edit((edits) => edits.insertItem(`${namespace}/${key}`, index, value));
  return { namespace, key, id: `${nodeId}:0`, index: result, value };
});

export const listDelete = hostCommand({
  variant: 'ListDelete',
  event: 'ListValueDeleted',
  summary: 'Delete an item of a list; answers when that is durable.',
  in: z.object({ ...Of, index: Index }),
  out: z.object({ ...Told, index: Index, found: Found, removed: z.unknown().optional() }),
}).run(async ({ tenancy }, { namespace, key, index }) => {
  const { result } = await tenancy.room.edit((edits) => edits.deleteItem(`${namespace}/${key}`, index));
  return { namespace, key, index, found: result !== undefined, ...(result ? { removed: result.value } : {}) };
});

export const listMove = hostCommand({
  variant: 'ListMove',
  event: 'ListValueMoved',
  summary: 'Move an item of a list; answers when that is durable.',
  in: z.object({
    ...Of,
    from_index: Index,
    to_index: Index.describe('Where it stands afterwards; at the end if the list is shorter.'),
  }),
  out: z.object({ ...Told, from_index: Index, to_index: Index, found: Found, id: Id.optional() }),
}).run(async ({ tenancy }, { namespace, key, from_index: from, to_index: to }) => {
  const { result } = await tenancy.room.edit((edits) => edits.moveItem(`${namespace}/${key}`, from, to));
  const moved = result ? { id: result.id, to_index: result.index } : { to_index: to };
  return { namespace, key, from_index: from, found: result !== undefined, ...moved };
});

export const listUpdate = hostCommand({
  variant: 'ListUpdate',
  event: 'ListValueUpdated',
  summary: 'Put another item in the place of one; answers when it is durable.',
  in: z.object({ ...Of, index: Index, value: Value }),
  out: z.object({
    ...Told,
    index: Index,
    found: Found,
    id: Id.optional().describe('Id of the new item.'),
    value: z.unknown().optional(),
  }),
}).run(async ({ tenancy }, { namespace, key, index, value }) => {
  const path = `${namespace}/${key}`;
  const { nodeId, result } = await tenancy.room.edit((edits) => {
    const found = edits.deleteItem(path, index) !== undefined;
    if (found) edits.insertItem(path, index, value);
    return found;
  });
  return { namespace, key, index, found: result, ...(result ? { id: `${nodeId}:0`, value } : {}) };
});

export const listGet = hostCommand({
  variant: 'ListGet',
  event: 'ListValueRead',
  summary: 'Read a list; one that nobody has written is empty.',
  in: z.object(Of),
  out: z.object({ ...Told, entries: z.array(z.object({ id: Id, value: z.unknown() })) }),
}).run(({ tenancy }, { namespace, key }) => ({
  namespace,
  key,
  entries: tenancy.room.past.present.listed(`${namespace}/${key}`),
}));
