import { describe, expect, it } from 'vitest';
import { BEARER, CAPABILITIES, NO_RIGHTS, SERVER, mayEnter, rightsOf } from './rights.js';

const grant = (caps: readonly string[], proven = true) => rightsOf({ caps, expiry: 1, issuer: SERVER }, proven);

describe('rights', () => {
  it('[CA1] have these names in tokens', () => {
    expect(BEARER).toBe('bearer');
    expect(CAPABILITIES).toEqual([
      ...['room.admin', 'room.create', 'room.delete', 'policy.admin', 'tick.admin', 'archive.read', 'archive.admin'],
      ...['bearer', 'query.admin', 'query.read', 'topology.admin'],
    ]);
  });

  it('[CA1] are exact strings, and none without a proof', () => {
    expect(grant(CAPABILITIES).capabilities).toEqual(new Set(CAPABILITIES));
    expect(grant(CAPABILITIES, false).capabilities.size).toBe(0);
    for (const cap of ['room.Admin', 'room', 'room.*', '*', 'room.admin ', ' room.admin'])
      expect(grant([cap]).capabilities.has('room.admin')).toBe(false);
  });

  it('[CA2] narrow reading and writing, proven or not, to where one pattern matches', () => {
    for (const proven of [true, false]) {
      const { read, write } = grant(['read:docs/**', 'read:notes/*', 'write:docs/own'], proven);
      expect(['docs', 'docs/a/b', 'notes/a', 'notes/a/b', 'other'].map((key) => read?.matches(key))).toEqual([
        ...[true, true, true, false, false],
      ]);
      expect(['docs/own', 'docs/a'].map((key) => write?.matches(key))).toEqual([true, false]);
    }
  });

  it('[CA2] without path rights are everywhere; an empty pattern is not everything', () => {
    expect([grant([]).read, grant(['room.admin']).write, grant(['read']).read]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(grant(['read:']).read?.patterns).toEqual([]);
    expect(grant(['read:']).read?.matches('docs')).toBe(false);
    expect(grant(['write:']).write?.matches('docs')).toBe(false);
  });

  it('[CA2] a token that names where its peer may read or write grants just that', () => {
    const reads = (caps: readonly string[]) => grant(caps).read?.patterns ?? 'everywhere';
    const writes = (caps: readonly string[]) => grant(caps).write?.patterns ?? 'everywhere';
    const told = (caps: readonly string[]) => [reads(caps), writes(caps)];
    expect(told(['read:docs/**'])).toEqual([['docs/**'], []]);
    expect(told(['write:docs/**'])).toEqual([[], ['docs/**']]);
    expect(told(['read:**', 'write:docs/**'])).toEqual(['everywhere', ['docs/**']]);
    expect(told(['read:docs/**', 'write:**'])).toEqual([['docs/**'], 'everywhere']);
    expect(told(['read-only'])).toEqual(['everywhere', []]);
    expect(told(['read-only', 'read:docs/**', 'write:**'])).toEqual([['docs/**'], []]);
    expect(told(['tick.admin'])).toEqual(['everywhere', 'everywhere']);
  });

  it('[AU1] let a proven peer in with a token of the lock or of the server', () => {
    const rights = (issuer: string, proven: boolean) => rightsOf({ caps: [], expiry: 1, issuer }, proven);
    expect([rights(SERVER, true), rights('lock', true)].map((one) => mayEnter(one, 'lock'))).toEqual([true, true]);
    const others = [rights(SERVER, false), rights('lock', false), rights('old', true), NO_RIGHTS];
    expect([...others, { ...NO_RIGHTS, proven: true }].some((one) => mayEnter(one, 'lock'))).toBe(false);
  });
});
