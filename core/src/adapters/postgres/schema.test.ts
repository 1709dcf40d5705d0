import { expect, it } from 'vitest';
import { checkVersion } from './schema.js';

it('[ST13] tables of another version are refused with what to do about it, and no password', () => {
  const place = { host: 'db', port: 5432, database: 'rooms', user: 'weft' };
  expect(() => checkVersion(1, place, 2)).toThrow(
    'the database rooms at db:5432 has version 1 of the tables and this Weft reads 2; bring it forward with weft migrate, after a backup',
  );
  expect(() => checkVersion(3, place, 2)).toThrow(
    /written by a newer Weft \(version 3 of its tables\); use that version/,
  );
  checkVersion(2, place, 2);
});
