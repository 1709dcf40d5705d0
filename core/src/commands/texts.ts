/** Texts through the embedding API: keys are `namespace/key`, and characters have names. Rule HC5. */
import { z } from 'zod';
import { type HostContext, hostCommand } from '../contract/host-command.js';

const Of = {
  namespace: z.string().min(1).describe('First part of the key.'),
  key: z.string().min(1).describe('Rest of the key.'),
};
const Told = { namespace: z.string(), key: z.string() };
const Id = z
  .string()
  .describe('Id of a character: the node that inserted it, and the offset there, as `<node id>:<offset>`.');

export const textInsert = hostCommand({
  variant: 'TextInsert',
  event: 'TextValueInserted',
  summary: 'Insert into a text, after a character or before everything; answers when it is durable.',
  in: z.object({
    ...Of,
    after_id: Id.nullish().describe('The character to insert after, even if it is deleted. Absent: before everything.'),
    ch: z.string().min(1).describe('A character, or more.'),
  }),
  out: z.object({
    ...Told,
    id: Id.describe('Id of the first character; each UTF-16 code unit has the next offset.'),
    ch: z.string(),
  }),
}).run(async ({ tenancy }, { namespace, key, after_id: after, ch }) => {
  const { nodeId } = await tenancy.room.edit((edits) =>
    edits.insertText(`${namespace}/${key}`, ch, after ?? undefined),
  );
  return { namespace, key, id: `${nodeId}:0`, ch };
});

export const textDelete = hostCommand({
  variant: 'TextDelete',
  event: 'TextValueDeleted',
  summary: 'Delete one character of a text; answers when that is durable.',
  in: z.object({ ...Of, target_id: Id }),
  out: z.object({ ...Told, target_id: Id, found: z.boolean().describe('False when the text does not show it.') }),
}).run(async ({ tenancy }, { namespace, key, target_id: target }) => {
  const { result } = await tenancy.room.edit((edits) => edits.deleteText(`${namespace}/${key}`, target));
  return { namespace, key, target_id: target, found: result };
});

const Read = z.object({
  ...Told,
  value: z.string(),
  entries: z.array(z.object({ id: Id, ch: z.string() })).describe('Its characters, in order.'),
});

export const textGet = hostCommand({
  variant: 'TextGet',
  event: 'TextValueRead',
  summary: 'Read a text; one that nobody has written is empty.',
  in: z.object(Of),
  out: Read,
}).run(read);

export const textGetCanonical = hostCommand({
  variant: 'TextGetCanonical',
  event: 'TextValueRead',
  summary: 'The same as `TextGet`: a room has one text of a key.',
  in: z.object(Of),
  out: Read,
}).run(read);

function read({ tenancy }: HostContext, { namespace, key }: { namespace: string; key: string }): z.input<typeof Read> {
  const { present } = tenancy.room.past;
  const path = `${namespace}/${key}`;
  return { namespace, key, value: present.text(path), entries: present.characters(path) };
}
