import { expect, it } from 'vitest';
import { addressesIn } from './addresses.js';

it.each([
  ['postgres://weft@db:5432/rooms', ['postgres://weft@db:5432/rooms']],
  [
    'postgres://weft:a,b@one:5432,two:5433/rooms?sslmode=require',
    ['postgres://weft:a,b@one:5432/rooms?sslmode=require', 'postgres://weft:a,b@two:5433/rooms?sslmode=require'],
  ],
  ['postgresql://one,[::1]:5433', ['postgresql://one', 'postgresql://[::1]:5433']],
  ['postgres://db/rooms?options=-c,x', ['postgres://db/rooms?options=-c,x']],
  ['postgres:///rooms', ['postgres:///rooms']],
])('%s leads to %j', (address, addresses) => {
  expect(addressesIn(address)).toEqual(addresses);
});
