import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createHost } from '../engine.js';
import { lockFact, policyFact } from '../room/state/facts.js';
import type { Commit } from '../room/writing/commit.js';
import { Family, join, pull, push } from '../testing/families.js';

/** A value of a million bytes: one in three does not deflate, so that pieces are great on the wire and few bytes take long. */
const someRandom = (i: number): Uint8Array =>
  i % 3 === 0 ? new Uint8Array(randomBytes(1_000_000)) : new Uint8Array(1_000_000);

const refused = (name: string) => expect.objectContaining({ reason: `reject.promotion_${name}` });

describe('a promotion', () => {
  it('[TP4] merges what the child was when it was proposed, as its authors wrote it, and says so [fault 40]', async () => {
    const family = await Family.make();
    const { parent, child, inParent, inChild } = family;
    await family.writeInChild((replica) => {
      replica.text('t').insert(6, ' and child');
      replica.set('new', 1);
    });
    const id = await family.proposed();
    const author = inChild.why('new')!;
    await family.writeInChild((replica) => replica.set('after', 1));
    await family.writeInParent((replica) => replica.set('other', 1));
    expect(await family.validate(id)).toEqual({
      room_id: 'parent',
      proposal_id: id,
      validation_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const applied = await family.apply(id);
    expect(applied).toEqual({
      room_id: 'parent',
      proposal_id: id,
      parent_room_id: 'parent',
      parent_new_canonical_hash: parent.stateHash,
      audit_key: `_topology/promotion/${id}`,
    });
    expect([parent.text('t'), parent.get('new'), parent.get('after'), parent.get('other')]).toEqual([
      'parent and child',
      1,
      undefined,
      1,
    ]);
    expect(parent.get(`_topology/promotion/${id}`)).toMatchObject({ child_room_id: 'child', by: 'operator' });
    expect(child.get('other')).toBeUndefined();
    // Peers who are there hear of it, and see whose it is.
    await pull(inParent, parent);
    expect([inParent.stateHash, inParent.frontier]).toEqual([parent.stateHash, parent.heads.frontier]);
    expect(inParent.why('new')).toMatchObject({ author: author.author, node: author.node });
    const fresh = await join(parent);
    expect(fresh.stateHash).toBe(parent.stateHash);
    const again = createHost({ store: family.store });
    expect((await again.room('parent')).stateHash).toBe(parent.stateHash);
  });

  it('[TP4] may follow another one of the same child', async () => {
    const family = await Family.make();
    for (const text of ['one ', 'two ', 'three ']) {
      await family.writeInChild((replica) => replica.text('t').insert(0, text));
      await family.promote();
    }
    expect(family.parent.text('t')).toBe('three two one parent');
  });

  it('[TP4] is refused when both have changed a key, unless they are to be merged', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('both', 'child'));
    await family.writeInParent((replica) => {
      replica.set('both', 'parent');
      replica.set('both', 'parent again');
    });
    const before = family.parent.heads;
    const proposal_id = await family.proposed();
    const command = { ValidateTopologyPromotion: { proposal_id } };
    const reason_class = 'reject.promotion_apply_conflict';
    expect(await family.host.submit({ room_id: 'parent', command })).toMatchObject({
      events: [{ PromotionValidationRejected: { room_id: 'parent', proposal_id, reason_class } }],
    });
    const merged = await family.proposed({ on_conflict: 'merge', idempotency_key: 'merge' });
    expect(family.parent.get('both')).toBe('parent again');
    await family.validate(merged);
    await family.apply(merged);
    expect(family.parent.get('both')).toBe('parent again'); // it won: the child did not know of it, and was shorter
    expect(family.parent.heads).not.toEqual(before);
  });

  it('[TP4] is refused when the parent has changed a touched key since it was validated, and then validated anew', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 'child'));
    const id = await family.proposed({ on_conflict: 'merge' });
    await family.validate(id);
    await family.writeInParent((replica) => replica.set('k', 'parent'));
    await expect(family.apply(id)).rejects.toEqual(refused('stale_parent'));
    expect(family.parent.get('k')).toBe('parent');
    await family.validate(id);
    await family.apply(id);
    expect(family.parent.written.keysTouched(0, family.parent.seq).has('k')).toBe(true);
  });

  it('[TP4] is applied once, however often and however many ask', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 'child'));
    const id = await family.proposed();
    await expect(family.apply(id)).rejects.toEqual(refused('not_validated'));
    await family.validate(id);
    let commits = 0;
    family.parent.onCommit(() => commits++);
    const answers = await Promise.all(Array.from({ length: 100 }, () => family.apply(id)));
    expect(commits).toBe(1);
    const { seq, stateHash } = family.parent;
    expect(new Set(answers.map((answer) => answer['parent_new_canonical_hash']))).toEqual(new Set([stateHash]));
    expect(await family.apply(id)).toEqual(answers[0]);
    expect((await family.validate(id))['proposal_id']).toBe(id);
    expect(family.parent.seq).toBe(seq);
  });

  it('[TP4] is one of many at the same time, each of which is recorded', async () => {
    const family = await Family.make();
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      await family.writeInChild((replica) => replica.set(`k${i}`, i));
      ids.push(await family.proposed({ idempotency_key: `p${i}` }));
      await family.validate(ids[i]!);
    }
    await Promise.all(ids.map((id) => family.apply(id)));
    expect([...family.parent.entries('k')]).toHaveLength(20);
    for (const id of ids) expect(family.parent.get(`_topology/promotion/${id}`)).toMatchObject({ proposal_id: id });
    expect((await join(family.parent)).stateHash).toBe(family.parent.stateHash);
  });

  it('[TP5] gives the child’s administrators no say in the parent', async () => {
    const family = await Family.make();
    const { parent, child } = family;
    const facts = [lockFact('ab'.repeat(32), 'eve'), policyFact({ default: 'deny', rules: [] }, 'eve')];
    await child.transact(() => ({ writes: facts, result: undefined }));
    await child.set('k', 1);
    await family.promote();
    expect([parent.get('k'), parent.facts.lock, parent.facts.policy]).toEqual([1, undefined, undefined]);
    await family.writeInParent((replica) => replica.set('still', 'open'));
  });

  it('[TP5] stands under the policy of the parent', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 1));
    const policy = policyFact({ default: 'deny', rules: [] }, 'ann');
    await family.parent.transact(() => ({ writes: [policy], result: undefined }));
    const { seq } = family.parent;
    const id = await family.proposed();
    await expect(family.validate(id)).rejects.toEqual(refused('policy_denied'));
    expect([family.parent.get('k'), family.parent.seq]).toEqual([undefined, seq + 1]);
  });

  it('[TP4] is one commit, word, nodes and record, or none', async () => {
    const family = await Family.make();
    const { parent } = family;
    await family.writeInChild((replica) => replica.set('k', 1));
    const id = await family.proposed();
    await family.validate(id);
    const policy = (by: 'allow' | 'deny') => policyFact({ default: by, rules: [] }, 'ann');
    await parent.transact(() => ({ writes: [policy('deny')], result: undefined }));
    const stood = [parent.seq, parent.stateHash];
    await expect(family.apply(id)).rejects.toEqual(refused('policy_denied'));
    expect([parent.seq, parent.stateHash]).toEqual(stood);
    await parent.transact(() => ({ writes: [policy('allow')], result: undefined }));
    const commits: Commit[] = [];
    const { seq } = parent;
    parent.onCommit((commit) => commits.push(commit));
    await family.apply(id);
    expect(commits.map(({ from, to }) => [from, to])).toEqual([[seq, parent.seq]]);
  });

  it('[TP4] that no frame holds is one commit all the same, told in pieces that each stand on those before', async () => {
    const family = await Family.make();
    const { parent, inParent } = family;
    await pull(inParent, parent);
    for (let i = 0; i < 12; i++)
      // Two nodes under one seal: no piece ends between them.
      await family.writeInChild((replica) => {
        replica.set(`k${i}`, someRandom(i));
        replica.set(`l${i}`, i);
      });
    const id = await family.proposed();
    await family.validate(id);
    await pull(inParent, parent);
    const commits: Commit[] = [];
    parent.onCommit((commit) => commits.push(commit));
    await family.apply(id);
    const [commit, ...others] = commits;
    expect(others).toEqual([]);
    const packs = commit!.parts.map(({ pack }) => pack);
    expect(packs.length).toBeGreaterThan(6);
    for (const pack of packs) {
      expect(pack.length).toBeLessThan(3_000_000);
      expect((await inParent.receive(pack)).refused).toEqual([]);
    }
    expect([inParent.stateHash, inParent.frontier]).toEqual([parent.stateHash, parent.heads.frontier]);
    const records: number[] = [];
    for await (const { seq } of family.store.log.read(parent.id, commit!.from)) records.push(seq);
    expect(records.length).toBe(packs.length);
  });

  it('[TP4] is of what the child was, however its log was merged since and wherever it is read from', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 1));
    const id = await family.proposed();
    for (let i = 0; i < 30; i++)
      await family.writeInChild((replica) => replica.set(`k${i}`, new Uint8Array(100_000).fill(i)));
    await family.child.compact(); // no record ends any more where it was proposed
    await family.host.close();
    const host = createHost({ store: family.store });
    for (const [variant, event] of [
      ['ValidateTopologyPromotion', 'PromotionValidated'],
      ['ApplyTopologyPromotion', 'PromotionApplied'],
    ] as const) {
      const { events } = await host.submit({ room_id: 'parent', command: { [variant]: { proposal_id: id } } });
      expect(Object.keys(events[0]!)).toEqual([event]);
    }
    const parent = await host.room('parent');
    expect([parent.get('k'), parent.get('k0')]).toEqual([1, undefined]);
    expect((await join(parent)).stateHash).toBe(parent.stateHash);
  });

  it('[TP4] of some keys takes their nodes when these touch no other, and else what their registers hold', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('docs/a', 1));
    await family.promote({ payload_ref: 'glob:docs/**' });
    expect(family.parent.get('docs/a')).toBe(1);
    await family.writeInChild((replica) => {
      replica.set('docs/b', { b: 2 });
      replica.set('other', 3);
    });
    await family.promote({ payload_ref: 'glob:docs/b' });
    expect([family.parent.get('docs/b'), family.parent.get('other')]).toEqual([{ b: 2 }, undefined]);
    await family.writeInChild((replica) => replica.text('docs/text').insert(0, 'x'));
    const id = await family.proposed({ payload_ref: 'glob:docs/text' });
    await expect(family.validate(id)).rejects.toEqual(refused('apply_conflict'));
  });
});

describe('a proposal', () => {
  it('[TP4] is the same again under its key, and another one under none', async () => {
    const family = await Family.make();
    await family.writeInChild((replica) => replica.set('k', 1));
    const named = await family.propose({ idempotency_key: 'mine' });
    expect(named['proposal_id']).toBe('mine');
    expect(await family.propose({ idempotency_key: 'mine' })).toEqual(named);
    await expect(family.propose({ idempotency_key: 'mine', payload_ref: 'other' })).rejects.toEqual(
      refused('apply_conflict'),
    );
    const plain = await family.propose();
    expect(await family.propose()).toEqual(plain);
    await family.validate(String(plain['proposal_id']));
    await expect(family.propose()).rejects.toEqual(refused('apply_conflict'));
    expect(plain['proposal_digest']).not.toBe(named['proposal_digest']);
  });

  it.each<[string, string, object]>([
    ['a field is missing', 'invalid_lineage', { payload_ref: undefined }],
    ['a field is malformed', 'invalid_lineage', { child_checkpoint_hash: 'ab' }],
    ['the child is nobody', 'invalid_lineage', { child_room_id: 'nobody' }],
    ['the child is the parent', 'invalid_lineage', { child_room_id: 'parent' }],
    ['the child is at another checkpoint', 'child_checkpoint_mismatch', { child_checkpoint_hash: '00'.repeat(32) }],
  ])('[TP4] is refused when %s', async (_, reason, other) => {
    const family = await Family.make();
    const { seq } = family.parent;
    await expect(family.propose(other)).rejects.toEqual(refused(reason));
    expect(family.parent.seq).toBe(seq);
  });

  it('[TP4] is refused for a child that is to be looked at only, and unknown ones are not found', async () => {
    const family = await Family.make('reference-only');
    await expect(family.propose()).rejects.toEqual(refused('policy_denied'));
    for (const step of [family.validate('none'), family.apply('none')])
      await expect(step).rejects.toEqual(refused('not_found'));
  });

  it('[TP2] leaves nodes that a later child has too, and its replicas take', async () => {
    const family = await Family.make();
    family.inChild.set('c', 1);
    await push(family.inChild, family.child);
    const id = await family.proposed();
    await family.validate(id);
    await family.apply(id);
    const { parent, host } = family;
    const checkpoint = { canonical_hash: parent.stateHash, frontier: parent.heads.frontier };
    await family.ask('CreateTopologyChild', {
      child_room_id: 'later',
      child_purpose: 'p',
      promotion_policy_id: 'reference-only',
      parent_checkpoint: checkpoint,
    });
    const replica = await join(await host.room('later'));
    expect(replica.get('c')).toBe(1);
  });
});
