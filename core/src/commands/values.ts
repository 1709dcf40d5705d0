/** Map values through the embedding API: keys are `namespace/key`. */
import { z } from 'zod';
import { hostCommand } from '../contract/host-command.js';

const Namespace = z.string().min(1).describe('First part of the key.');
const Key = z.string().min(1).describe('Rest of the key.');
const Value = z.unknown().describe('Anything that MessagePack can hold.');

export const mapSet = hostCommand({
  variant: 'MapSet',
  event: 'MapValueUpserted',
  summary: 'Set one key; answers when it is durable.',
  in: z.object({ namespace: Namespace, key: Key, value: Value }),
  out: z.object({ namespace: z.string(), key: z.string(), value: z.unknown() }),
}).run(async ({ tenancy }, { namespace, key, value }) => {
  await tenancy.room.set(`${namespace}/${key}`, value);
  return { namespace, key, value };
});

export const mapDelete = hostCommand({
  variant: 'MapDelete',
  event: 'MapValueDeleted',
  summary: 'Delete one key; answers when that is durable.',
  in: z.object({ namespace: Namespace, key: Key }),
  out: z.object({ namespace: z.string(), key: z.string(), found: z.boolean() }),
}).run(async ({ tenancy }, { namespace, key }) => {
  const path = `${namespace}/${key}`;
  const { result } = await tenancy.room.transact((view) => {
    const found = view.get(path) !== undefined;
    return { writes: found ? [{ key: path, value: undefined }] : [], result: found };
  });
  return { namespace, key, found: result };
});

export const mapGet = hostCommand({
  variant: 'MapGet',
  event: 'MapValueRead',
  summary: 'Read one key.',
  in: z.object({ namespace: Namespace, key: Key }),
  out: z.object({ namespace: z.string(), key: z.string(), value: z.unknown().optional() }),
}).run(({ tenancy }, { namespace, key }) => {
  const value = tenancy.room.get(`${namespace}/${key}`);
  return { namespace, key, ...(value === undefined ? {} : { value }) };
});

export const mapAll = hostCommand({
  variant: 'MapAll',
  event: 'MapEntriesListed',
  summary: 'List the keys of a namespace, in order.',
  in: z.object({ namespace: Namespace }),
  out: z.object({ namespace: z.string(), entries: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
}).run(({ tenancy }, { namespace }) => {
  const prefix = `${namespace}/`;
  const entries = [...tenancy.room.entries(prefix)].map(([key, value]) => ({ key: key.slice(prefix.length), value }));
  return { namespace, entries };
});
