import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { fromHex, toHex } from '../../codec/bytes/bytes.js';
import { createReplica, generateKeys } from '../../peer.js';
import { id as roomId, open } from '../../testing/open-rooms.js';
import type { AuthorityCase } from '../../testing/batteries/authority-case.js';
import { authorityCases } from '../../testing/batteries/authority-cases.js';

/** What a replica and a server make of one pack after the other. */
interface Vector {
  readonly rule: string;
  readonly title: string;
  readonly genesis: string;
  readonly steps: readonly {
    readonly pack: string;
    /** Reasons by id, of a replica that has what came before. */
    readonly refused: Readonly<Record<string, string>>;
    /** Answers of a server, where they are others. */
    readonly by_server?: Readonly<Record<string, string>>;
  }[];
}

const folder = new URL('../../../../conformance/authority/', import.meta.url);

async function vectorOf({ rule, title, story, steps }: AuthorityCase): Promise<Vector> {
  const named = (reasons: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(reasons).map(([name, reason]) => [story.id(name), reason]));
  const told = steps.map(async ({ nodes, refused = {}, byServer }) => ({
    pack: toHex(await story.pack(nodes)),
    refused: named(refused),
    ...(byServer ? { by_server: named(byServer) } : {}),
  }));
  return { rule, title, genesis: toHex(await story.pack(['genesis'])), steps: await Promise.all(told) };
}

async function reasonsOf(
  admit: (pack: Uint8Array) => Promise<{ refused: readonly { id: string; reason: string }[] }>,
  pack: string,
) {
  const { refused } = await admit(fromHex(pack));
  return Object.fromEntries(refused.map(({ id, reason }) => [id, reason]));
}

const cases = await authorityCases();

describe('vectors of authority', () => {
  it('[MA3] are those that the cases make, all of them', async () => {
    const files = Object.fromEntries(
      await Promise.all(
        cases.map(
          async (each) => [`${each.name}.json`, `${JSON.stringify(await vectorOf(each), undefined, 2)}\n`] as const,
        ),
      ),
    );
    if (process.env['WRITE_VECTORS'] === '1') {
      mkdirSync(folder, { recursive: true });
      for (const [file, text] of Object.entries(files)) writeFileSync(new URL(file, folder), text);
    }
    const kept = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('mandates')) : [];
    expect(kept.sort()).toEqual(Object.keys(files).sort());
    for (const file of kept) expect(readFileSync(new URL(file, folder), 'utf8')).toBe(files[file]);
  });

  it.each(cases.map((each) => [each.title, each] as const))('[MA3] %s: a replica', async (_, each) => {
    const { genesis, steps } = await vectorOf(each);
    const replica = await createReplica({ genesis: fromHex(genesis), keys: generateKeys() });
    for (const { pack, refused } of steps)
      expect(await reasonsOf((bytes) => replica.receive(bytes), pack)).toEqual(refused);
  });

  it.each(cases.map((each) => [each.title, each] as const))(
    '[MA3] %s: a server, and one that is opened anew',
    async (_, each) => {
      const { genesis, steps } = await vectorOf(each);
      const store = memoryStore();
      await store.open();
      await store.log.append(roomId, 0, { count: 1, pack: fromHex(genesis) });
      for (const { pack, refused, by_server: byServer = refused } of steps) {
        const room = await open(store);
        expect(await reasonsOf((bytes) => room.admit(bytes, { from: 'peer' }), pack)).toEqual(byServer);
      }
    },
  );
});
