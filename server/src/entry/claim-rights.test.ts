import { describe, expect, it } from 'vitest';
import { ClaimRules, capsOf } from './claim-rights.js';

const rules = ClaimRules.parse({
  rules: [
    { rooms: 'docs-*', when: { groups: ['editors', 'owners'] }, caps: ['write:text/**', 'read:**'] },
    { rooms: 'docs-*', when: { 'realm.roles': 'admin' }, caps: ['room.admin'] },
    { rooms: 'home-{sub}', caps: ['write:{sub}/**', 'read:**'] },
    { rooms: 'open', caps: [] },
    { rooms: 'scoped', when: { scope: 'audit' }, caps: ['read-only'] },
    { rooms: 'numbered', when: { level: 3, isStaff: true }, caps: [] },
  ],
});

describe('rights by claims', () => {
  it.each([
    ['docs-1', { groups: ['readers', 'editors'] }, ['write:text/**', 'read:**']],
    ['docs-1', { groups: 'owners' }, ['write:text/**', 'read:**']],
    // A text is one value, which its owner may have chosen; only scopes are words.
    ['docs-1', { groups: 'readers owners' }, undefined],
    ['scoped', { scope: 'openid audit' }, ['read-only']],
    ['scoped', { scope: 'auditor' }, undefined],
    ['docs-1', { realm: { roles: ['admin'] } }, ['room.admin']],
    ['docs-1', { 'realm.roles': 'admin', groups: 'editors' }, ['write:text/**', 'read:**', 'room.admin']],
    ['docs-1', { groups: ['editor'] }, undefined],
    ['docs-1', {}, undefined],
    ['other', { groups: ['editors'] }, undefined],
    ['home-ann', { sub: 'ann' }, ['write:ann/**', 'read:**']],
    ['home-ann', { sub: 'bob' }, undefined],
    ['home-ann', {}, undefined],
    ['open', {}, []],
    ['numbered', { level: 3, isStaff: true }, []],
    ['numbered', { level: '3', isStaff: true }, undefined],
    ['numbered', { level: 3, isStaff: 'true' }, undefined],
  ])('in %s for %j are %j', (room, claims, caps) => {
    expect(capsOf(rules, claims, room)).toEqual(caps);
  });

  it('cannot be widened by the value of a claim', () => {
    for (const sub of ['*', '**', 'a*', 'a/b', '', 'a b', '{sub}', ['ann'], { toString: () => 'ann' }])
      for (const room of ['home-ann', 'home-', 'home-a', 'home-*'])
        expect(capsOf(rules, { sub }, room), `${JSON.stringify(sub)} in ${room}`).toBeUndefined();
    expect(capsOf(rules, Object.create({ groups: 'editors' }) as Record<string, unknown>, 'docs-1')).toBeUndefined();
    expect(capsOf(rules, { realm: 'constructor' }, 'docs-1')).toBeUndefined();
  });

  it.each([
    [{ rules: [] }],
    [{ rules: [{ rooms: 'a', caps: ['room.amdin'] }] }],
    [{ rules: [{ rooms: 'a', caps: ['read:'] }] }],
    [{ rules: [{ rooms: 'a', caps: [], wen: {} }] }],
    [{ rules: [{ rooms: 'a', when: { groups: [] }, caps: [] }] }],
    [{ rule: [] }],
  ])('are not read from %j', (table) => {
    expect(ClaimRules.safeParse(table).success).toBe(false);
  });
});
