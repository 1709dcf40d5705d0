import { type Sources, createMetrics, readConfig } from '@weft/server';
import { describe, expect, it } from 'vitest';
import { archivesOf, coldOf, openStore, readReplicaOf } from './stores.js';

const keys = { WEFT_ARCHIVE_ACCESS_KEY: 'a', WEFT_ARCHIVE_SECRET_KEY: 'b' };

function stores(flags: Readonly<Record<string, string>>, environment: Sources['environment'] = keys): string[] {
  return Object.keys(archivesOf(readConfig({ flags: new Map(Object.entries(flags)), environment })).stores);
}

describe('archivesOf', () => {
  it('[AR1] gives each scheme the store that the operator has named, and others none', () => {
    expect(stores({})).toEqual([]);
    expect(stores({ 'archive-root': './a' })).toEqual(['file']);
    expect(stores({ 'archive-store': 's3://backups' })).toEqual(['object']);
    expect(stores({ 'archive-root': './a', 'archive-store': 's3://backups/weft' })).toEqual(['file', 'object']);
  });

  it('wants keys, and no blobs among the archives', () => {
    expect(() => stores({ 'archive-store': 's3://backups' }, {})).toThrow(/WEFT_ARCHIVE_ACCESS_KEY and/);
    const both = (archives: string, blobs: string) => () => stores({ 'archive-store': archives, 'blob-store': blobs });
    for (const [archives, blobs] of [
      ['s3://one', 's3://one/blobs'],
      ['s3://one/archives?endpoint=http://a', 's3://one/'],
      ['s3://one/same', 's3://one/same/'],
    ] as const)
      expect(both(archives, blobs), `${archives} ${blobs}`).toThrow(/prefixes of their own/);
    expect(both('s3://one/a', 's3://one/ab')()).toEqual(['object']);
    expect(both('s3://one', 's3://one-more')()).toEqual(['object']);
  });
});

it('a read replica is another database, and of a database alone', async () => {
  const named = (address: string) => readConfig({ flags: new Map([['read-replica', address]]), environment: {} });
  expect(() => named('./folder')).toThrow(/must be an address such as postgres:/);
  const readReplica = readReplicaOf(named('postgres://db/rooms'), createMetrics().telemetry);
  expect(readReplica?.address).toBe('postgres://db/rooms');
  await expect(openStore('./folder', { readReplica })).rejects.toThrow(/only a database has one/);
  await expect(openStore('memory', { readReplica })).rejects.toThrow(/only a database has one/);
});

describe('coldOf', () => {
  const cold = (flags: Readonly<Record<string, string>>, environment: Sources['environment']) =>
    coldOf(readConfig({ flags: new Map(Object.entries(flags)), environment }));
  const coldKeys = { WEFT_COLD_ACCESS_KEY: 'a', WEFT_COLD_SECRET_KEY: 'b' };

  it('is the bucket that the operator has named, with its keys, and apart from blobs and archives', () => {
    expect(cold({}, {})).toBeUndefined();
    expect(cold({ 'cold-store': 's3://one/cold' }, coldKeys)?.place).toBe('s3://one/cold/');
    expect(() => cold({ 'cold-store': 's3://one' }, {})).toThrow(/WEFT_COLD_ACCESS_KEY and/);
    for (const other of ['blob-store', 'archive-store'])
      expect(() => cold({ 'cold-store': 's3://one/a', [other]: 's3://one' }, coldKeys)).toThrow(/prefix of its own/);
  });
});
