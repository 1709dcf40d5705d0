import { describe, expect, it } from 'vitest';
import { allowedOf, allowing, hostsNamed, targetOf, whereOf } from './allowed.js';

describe('what a person allows', () => {
  it.each([
    ['registry.example.org', { scheme: 'https', host: 'registry.example.org', port: 443 }],
    ['Registry.Example.ORG.:8443', { scheme: 'https', host: 'registry.example.org', port: 8443 }],
    ['http://10.0.0.5:4873/npm/', { scheme: 'http', host: '10.0.0.5', port: 4873 }],
    ['https://ann:secret@example.org/x?y#z', { scheme: 'https', host: 'example.org', port: 443 }],
    ['*.example.org', { scheme: 'https', host: '*.example.org', port: 443 }],
    ['http://[::1]:80', { scheme: 'http', host: '::1', port: 80 }],
  ])('%s is one server', (text, row) => {
    expect(allowedOf(text)).toEqual(row);
  });

  it.each(['', '*', '*.org', '*.10.0.0.1', 'a b', 'a/b c:0', 'example.org:0', 'example.org:70000', 'ftp://x', 'a\\b'])(
    '%j is none, and it is said',
    (text) => {
      expect(() => hostsNamed([text])).toThrow(/is no server: name it as/);
    },
  );

  it('is all public registries by one word', () => {
    expect(hostsNamed(['public', 'a.test']).map(({ host }) => host)).toEqual(
      expect.arrayContaining(['registry.npmjs.org', 'pypi.org', 'a.test']),
    );
  });
});

describe('what a program asks for', () => {
  const list = hostsNamed(['a.test', '*.b.test', 'http://c.test:81', '[2001:db8::1]:443']);
  const finds = (text: string): boolean => {
    const target = targetOf(text);
    return target !== undefined && allowing(list, target) !== undefined;
  };
  it.each(['a.test:443', 'A.TEST.:443', 'x.b.test:443', 'x.y.b.test:443', 'c.test:81', '[2001:DB8:0::1]:443'])(
    '%s is let through',
    (text) => {
      expect(finds(text)).toBe(true);
    },
  );
  it.each([
    ...['a.test:444', 'a.test', 'xa.test:443', 'b.test:443', 'xb.test:443', 'a.test.evil:443', 'c.test:80'],
    ...['a.test:443/x', 'x@a.test:443', 'a.test:0443:443', 'a.test#:443', 'a.test%00.evil:443', 'a.test:', ':443'],
  ])('%s is not', (text) => {
    expect(finds(text)).toBe(false);
  });
});

it.each([
  ['93.184.216.34', 'public'],
  ['2606:4700::1', 'public'],
  ['10.1.2.3', 'private'],
  ['172.31.0.1', 'private'],
  ['fd00::1', 'private'],
  ['127.8.8.8', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:10.0.0.1', 'private'],
  ['169.254.169.254', 'elsewhere'],
  ['fe80::1', 'elsewhere'],
  ['0.0.0.0', 'elsewhere'],
  ['64:ff9b::7f00:1', 'elsewhere'],
  ['nonsense', 'elsewhere'],
])('%s is %s', (address, where) => {
  expect(whereOf(address)).toBe(where);
});
