import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originCheck } from './origin.js';

const check = originCheck(['weft.example']);
/** What the library of the tools protocol lets through, which this is the twin of. */
const known = [...localhostAllowedHostnames(), 'weft.example'];

interface Said {
  readonly host: string;
  readonly origin: string;
}

function refusalOf(given: Partial<Said>): string | undefined {
  try {
    check(new Headers(given));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const names = fc.constantFrom(
  'localhost',
  '127.0.0.1',
  '[::1]',
  'weft.example',
  'evil.example',
  'localhost.evil.example',
  '',
);
const odd = fc.constantFrom(
  '',
  ':7880',
  ':0',
  ':x',
  '@evil.example',
  '/path',
  '#',
  ' ',
  '%00',
  '[',
  '\\evil.example',
  '.',
);
const schemes = fc.constantFrom('http://', 'https://', 'file://', 'chrome-extension://', 'data:', 'null', '');
const host = fc.tuple(names, odd).map((parts) => parts.join(''));
const origin = fc.tuple(schemes, names, odd).map((parts) => parts.join(''));

describe('where a request goes, and where it comes from', () => {
  it('is judged as the library of the tools protocol does, in its words', () => {
    fc.assert(
      fc.property(host, origin, (sentTo, from) => {
        const toHost = validateHostHeader(new Headers({ host: sentTo }).get('host'), known);
        const fromOrigin = validateOriginHeader(new Headers({ origin: from }).get('origin'), known);
        const refused = [toHost, fromOrigin].find(({ ok }) => !ok);
        expect(refusalOf({ host: sentTo, origin: from })).toBe(refused?.ok === false ? refused.message : undefined);
      }),
      {
        numRuns: 500,
        examples: [
          ['localhost:7880', 'http://localhost:5173'],
          ['evil.example', ''],
          ['localhost', 'null'],
        ],
      },
    );
  });

  it.each([
    [{ host: 'localhost:7880' }, undefined],
    [{ host: 'weft.example', origin: 'https://weft.example' }, undefined],
    [{ host: 'evil.example' }, 'Invalid Host: evil.example'],
    [{}, 'Missing Host header'],
    [{ host: 'localhost', origin: 'http://evil.example' }, 'Invalid Origin: evil.example'],
    [{ host: 'localhost', origin: 'null' }, 'Invalid Origin header: null'],
  ])('%o: %s', (given, why) => {
    expect(refusalOf(given)).toBe(why);
  });
});
