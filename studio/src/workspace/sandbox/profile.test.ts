/** Profiles of confined programs, as what they say: what they do is in the system suite. */
import { describe, expect, it } from 'vitest';
import { type Inside, type Sandbox, inSandbox } from './bubblewrap.js';
import { processLimits } from './process-limits.js';
import { CACHES, HOME } from './caches.js';
import { seatbeltProfile } from './seatbelt.js';
import { seenOn } from './seen.js';

const home = '/h/ann';
const machine = { home, node: '/h/ann/.nvm/versions/node/v20/bin/node', environment: {} };
const inside: Inside = {
  folder: '/data/branch',
  below: 'sub',
  passing: '/data/passing',
  caches: '/data/caches/1',
  program: '/bin/sh',
  args: ['-c', 'true'],
};
const sandbox: Sandbox = {
  program: '/usr/bin/bwrap',
  limiter: ['/usr/bin/prlimit', ...processLimits('')],
  links: [['/bin', 'usr/bin']],
  seen: ['/usr', '/etc/passwd'],
  network: 'off',
};

describe('what is seen', () => {
  it('is a list, in which nothing of a home is but toolchains', () => {
    const PATH = `/usr/bin:relative:${home}/bin:${home}:/:/home:${home}/x/node_modules/.bin:/opt/tool/bin`;
    const seen = seenOn({ ...machine, environment: { PATH, JAVA_HOME: '/opt/java', GOROOT: home } });
    expect(seen).toEqual(expect.arrayContaining(['/usr', '/opt', `${home}/bin`, '/opt/tool/bin', '/opt/java']));
    expect(seen).toContain(`${home}/.nvm/versions/node/v20/bin`);
    for (const path of ['/', '/home', '/etc', home, 'relative', `${home}/.nvm`, `${home}/.cargo`, `${home}/.config`])
      expect(seen, path).not.toContain(path);
    const keys = /\.(ssh|aws|gnupg|kube|docker|netrc|npmrc|claude|codex|mozilla)|shadow|sock|google-chrome|\/run/;
    expect(seen.filter((path) => keys.test(path))).toEqual([]);
  });
});

describe('the profile of bubblewrap', () => {
  const argv = (more: Partial<Inside> = {}, of: Partial<Sandbox> = {}) =>
    inSandbox({ ...sandbox, ...of }, { ...inside, ...more })[1].join(' ');

  it('writes to three places, and goes below its folder inside', () => {
    const binds = [...argv().matchAll(/--bind (\S+) (\S+)/g)].map(([, from, to]) => `${from} ${to}`);
    expect(binds).toEqual([
      ...CACHES.map((name) => `/data/caches/1/${name} ${HOME}/${name}`),
      '/data/branch /data/branch',
      '/data/passing /data/passing',
    ]);
    expect(argv()).toContain('--chdir /data/branch/sub -- /usr/bin/prlimit');
    expect(argv()).toMatch(/-- \/bin\/sh -c true$/);
  });

  it('is alone in every way that there is, without rights, and ends with the host', () => {
    for (const word of ['user', 'pid', 'ipc', 'uts', 'net']) expect(argv()).toContain(`--unshare-${word} `);
    expect(argv()).toContain('--cap-drop ALL');
    expect(argv()).toContain('--die-with-parent --new-session');
    expect(argv({}, { network: 'on' })).not.toContain('--unshare-net');
    expect(argv({}, { limiter: undefined })).toContain('-- /bin/sh -c true');
  });

  it('asks for no limit above the one of the studio', () => {
    const held = (files: string): string =>
      `Limit  Soft Limit  Hard Limit  Units\nMax open files            256      ${files}      files\nMax processes   9   unlimited   processes\n`;
    expect(processLimits(held('1024'))).toContain('--nofile=1024');
    for (const more of ['524288', 'unlimited']) expect(processLimits(held(more))).toEqual(processLimits(''));
  });

  it('shows the package of a program that lies elsewhere, and no more of that place', () => {
    const program = '/srv/app/node_modules/a/node_modules/b/tool';
    expect(argv({ program })).toContain('--ro-bind-try /srv/app/node_modules /srv/app/node_modules ');
    expect(argv({ program })).not.toContain('--ro-bind-try /srv/app /srv/app');
  });
});

describe('the profile of seatbelt', () => {
  it('denies what it does not name', () => {
    const text = seatbeltProfile({ seen: ['/usr', '/opt'], network: 'off' }, inside);
    expect(text).toMatch(/^\(version 1\)\n\(deny default\)\n/);
    expect(text).toContain('(allow file-read* (subpath "/usr") (subpath "/opt"))');
    expect(text).toContain(
      '(allow file-read* file-write* (subpath "/data/branch") (subpath "/data/passing") (subpath "/data/caches/1"))',
    );
    expect(text).not.toContain('(allow network*)');
    expect(seatbeltProfile({ seen: [], network: 'on' }, inside)).toContain('(allow network*)');
  });

  it('is one list after the other, whatever a folder is called', () => {
    const folder = '/data/a"b\\c) (allow file-write* (subpath "/")';
    const text = seatbeltProfile({ seen: [folder], network: 'off' }, { ...inside, folder });
    let depth = 0;
    let isText = false;
    for (let at = 0; at < text.length; at++) {
      if (isText && text[at] === '\\') at += 1;
      else if (text[at] === '"') isText = !isText;
      else if (!isText && text[at] === '(') depth += 1;
      else if (!isText && text[at] === ')') depth -= 1;
      expect(depth).toBeGreaterThanOrEqual(0);
      if (!isText && text[at] === '\n') expect(depth).toBe(0);
    }
    expect([depth, isText]).toEqual([0, false]);
    expect(text.match(/\(subpath "\/"\)/g)).toBeNull();
  });
});
