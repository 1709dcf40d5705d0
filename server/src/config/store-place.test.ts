import { describe, expect, it } from 'vitest';
import { readConfig, showConfig } from './read-config.js';
import { shownStore } from './store-place.js';

describe('a store that is a database', () => {
  it.each([
    ['postgres://weft:secret@db:5432/rooms', 'postgres://weft:***@db:5432/rooms'],
    ['postgresql://weft:se@cr:et/@db/rooms?sslmode=require', 'postgresql://weft:***@db/rooms?sslmode=require'],
    [
      'postgres://db/rooms?user=weft&password=secret&sslmode=require',
      'postgres://db/rooms?user=weft&password=***&sslmode=require',
    ],
    ['postgres://weft@db:5432/rooms', 'postgres://weft@db:5432/rooms'],
    ['postgres://weft:secret@one:5432,two:5432/rooms', 'postgres://weft:***@one:5432,two:5432/rooms'],
    ['./a:b@c', './a:b@c'],
  ])('%s is shown without its password', (store, shown) => {
    expect(shownStore(store)).toBe(shown);
  });

  it('may have several hosts, and a read replica has one', () => {
    const [flags, place] = [(name: string) => new Map([[name, place]]), 'postgres://weft@one:5432,two:5433/rooms'];
    expect(readConfig({ flags: flags('store'), environment: {} }).store).toBe(place);
    expect(() => readConfig({ flags: flags('read-replica'), environment: {} })).toThrow(/with one host/);
  });

  it('is not repeated where it is refused, nor shown by --print-config', () => {
    const sources = (store: string) => ({ flags: new Map([['store', store]]), environment: {} });
    expect(() => readConfig(sources('postgres://weft:sec ret@[x/rooms'))).toThrow(/must be an address such as/);
    expect(() => readConfig(sources('postgres://weft:sec ret@[x/rooms'))).not.toThrow(/sec/);
    expect(showConfig(sources('postgres://weft:secret@db/rooms'))).toContain('"postgres://weft:***@db/rooms"');
    expect(readConfig(sources('postgres://weft:secret@db/rooms')).store).toContain('secret');
    const flags = new Map([['read-replica', 'postgres://weft:secret@copy/rooms']]);
    expect(showConfig({ flags, environment: {} })).toContain('"postgres://weft:***@copy/rooms"');
  });
});
