import { expect, it } from 'vitest';
import { addressLogins, hasLogin, loginFor, npmLogins } from './logins.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it('settings of npm hold logins by token, by both in one, and by name and password, below a path of a server', () => {
  const text = [
    '//npm.corp/team/:_authToken=${NPM_TOKEN}',
    '//npm.corp/:_auth="YTpi"',
    `//old.corp:8443/npm:username = ann`,
    `//old.corp:8443/npm:_password = ${Buffer.from('p:w').toString('base64')}`,
    '//half.corp/:username=ann',
    '//none.corp/:_authToken=${UNSET}',
    '//bad.corp/:_authToken=a\u0007b',
    'registry=https://npm.corp/',
  ].join('\n');
  expect(npmLogins(text, { NPM_TOKEN: 't1' })).toEqual([
    { host: 'npm.corp', port: undefined, below: '/team/', authorization: 'Bearer t1' },
    { host: 'npm.corp', port: undefined, below: '/', authorization: 'Basic YTpi' },
    { host: 'old.corp', port: 8443, below: '/npm/', authorization: basic('ann:p:w') },
  ]);
});

it('addresses hold logins for all of their server', () => {
  expect(
    addressLogins(
      'index-url = https://ann:p%40w@pip.corp/simple\nextra = http://tok@10.0.0.5:4873/x https://free.corp/',
    ),
  ).toEqual([
    { host: 'pip.corp', port: 443, below: '/', authorization: basic('ann:p@w') },
    { host: '10.0.0.5', port: 4873, below: '/', authorization: basic('tok:') },
  ]);
});

it('a request is let in by the login for the longest beginning of its path, at that very server', () => {
  const logins = npmLogins(
    '//npm.corp/team/:_authToken=team\n//npm.corp/:_authToken=all\n//npm.corp:4873/:_authToken=other',
    {},
  );
  const at = (path: string, port = 443, host = 'npm.corp', scheme: 'http' | 'https' = 'https') =>
    loginFor(logins, { host, port }, scheme, path);
  expect([at('/team/x'), at('/x'), at('/team/../x?y=/team/'), at('/team/%2e%2e/x')]).toEqual([
    ...['Bearer team', 'Bearer all', 'Bearer all', 'Bearer all'],
  ]);
  expect([at('/x', 4873), at('/x', 8443), at('/x', 443, 'evil.corp'), at('/x', 80, 'npm.corp', 'http')]).toEqual([
    ...['Bearer other', undefined, undefined, 'Bearer all'],
  ]);
  expect(hasLogin(logins, { host: 'npm.corp', port: 443 }, 'https')).toBe(true);
  expect(hasLogin(logins, { host: 'npm.corp', port: 444 }, 'https')).toBe(false);
});
