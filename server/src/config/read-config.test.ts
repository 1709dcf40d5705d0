import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '@weft/core';
import { defaultOf, optionTable, variableOf } from './options.js';
import { type Sources, readConfig, showConfig } from './read-config.js';

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'weft.json');
  writeFileSync(path, text);
  return path;
}

interface Said {
  readonly flags?: Readonly<Record<string, string>>;
  readonly environment?: Sources['environment'];
  readonly file?: string;
}

function sources({ flags = {}, environment = {}, file }: Said): Sources {
  return { flags: new Map(Object.entries(flags)), environment, file: file === undefined ? undefined : fileWith(file) };
}

const read = (said: Said) => readConfig(sources(said));

describe('readConfig', () => {
  it('has a default for each option that needs one, and the limits of the engine', () => {
    expect(read({})).toMatchObject({
      listen: '127.0.0.1:7878',
      store: './weft-data',
      transport: 'auto',
      limits: LIMITS,
    });
    expect(read({})['metrics-addr']).toBeUndefined();
  });

  it('takes a flag before a variable, that before the file, that before the default', () => {
    const file = '{ "listen": "127.0.0.1:1", "store": "of-file", "transport": "ws", "limit-idle-ms": 3 }';
    const environment = { WEFT_LISTEN: '127.0.0.1:2', WEFT_STORE: 'of-variable', PATH: '/bin' };
    const found = read({ flags: { listen: '127.0.0.1:3' }, environment, file });
    expect(found).toMatchObject({ listen: '127.0.0.1:3', store: 'of-variable', transport: 'ws' });
    expect(found.limits).toEqual({ ...LIMITS, idleMs: 3 });
  });

  it('finds the file by WEFT_CONFIG, and by --config before it', () => {
    const [named, flagged] = [fileWith('{ "store": "named" }'), fileWith('{ "store": "flagged" }')];
    const environment = { WEFT_CONFIG: named };
    expect(readConfig({ flags: new Map(), environment }).store).toBe('named');
    expect(readConfig({ flags: new Map(), environment, file: flagged }).store).toBe('flagged');
  });

  it('reads lists and numbers as they are written where there is only text, and as JSON in the file', () => {
    const flags = { 'public-host': 'a.example,b.example:443', 'limit-hello-ms': '7' };
    const file = '{ "public-host": ["a.example", "b.example:443"], "limit-hello-ms": 7 }';
    for (const said of [{ flags }, { file }]) {
      expect(read(said)['public-host']).toEqual(['a.example', 'b.example:443']);
      expect(read(said).limits.helloMs).toBe(7);
    }
  });

  it.each([
    [{ flags: { colour: 'red' } }, /^--colour: there is no such option/],
    [{ environment: { WEFT_COLOUR: 'red' } }, /^WEFT_COLOUR: there is no such option/],
    [{ file: '{\n  "store": "x",\n  "colour": 1\n}' }, /weft\.json:3 "colour": there is no such option/],
    [{ flags: { listen: 'nowhere' } }, /^--listen: bad address 'nowhere'/],
    [{ environment: { WEFT_LISTEN: 'nowhere' } }, /^WEFT_LISTEN: bad address/],
    [{ file: '{ "store": "listen",\n "listen": "nowhere" }' }, /weft\.json:2 "listen": bad address/],
    [{ file: '{ "limit-idle-ms": "5" }' }, /weft\.json:1 "limit-idle-ms": must be a number/],
    [{ flags: { 'limit-idle-ms': '5s' } }, /^--limit-idle-ms: must be a whole number, not "5s"/],
    [{ flags: { 'limit-room-bytes': '2147483648' } }, /^--limit-room-bytes: .*whole number from 1 to 2097152000/],
    [{ environment: { WEFT_LIMIT_IDLE_MS: '0' } }, /^WEFT_LIMIT_IDLE_MS: must be a whole number from 1/],
    [{ environment: { WEFT_TRANSPORT: 'pigeon' } }, /^WEFT_TRANSPORT: must be one of auto, uws, ws/],
    [{ environment: { WEFT_PUBLIC_HOST: 'a,,b' } }, /^WEFT_PUBLIC_HOST: is empty/],
    [{ file: '{\n  "store": "x",\n}' }, /weft\.json:3: is not JSON/],
    [{ file: '[]' }, /weft\.json: must hold one JSON object/],
  ] satisfies [Said, RegExp][])('refuses %j and says where it was said', (said, message) => {
    expect(() => read(said)).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(message) }),
    );
  });

  it('says which file it cannot read', () => {
    const missing = { flags: new Map(), environment: {}, file: '/nowhere/weft.json' };
    expect(() => readConfig(missing)).toThrow(/^--config: cannot read \/nowhere\/weft.json/);
  });
});

describe('showConfig', () => {
  it('prints a file that says the same', () => {
    const said = sources({
      flags: { 'public-host': 'a.example', 'limit-hello-ms': '7' },
      environment: { WEFT_STORE: 'x' },
    });
    expect(readConfig({ flags: new Map(), environment: {}, file: fileWith(showConfig(said)) })).toEqual(
      readConfig(said),
    );
  });
});

describe('secrets', () => {
  it('come from the environment or the file, are no flags to be shown, and are not printed', () => {
    const said = { environment: { WEFT_BLOB_SECRET_KEY: 'hush' } };
    expect(read(said)['blob-secret-key']).toBe('hush');
    expect(showConfig(sources(said))).not.toContain('hush');
    const secrets = [...optionTable].filter(([, { secret }]) => secret).map(([name]) => name);
    expect(secrets).toEqual([
      'bus-password',
      'auth-webhook-secret',
      'admin-token',
      'archive-secret-key',
      'blob-secret-key',
      'cold-secret-key',
    ]);
  });
});

describe('optionTable', () => {
  it('has a default that is valid, or none, for each option; no two have one variable', () => {
    for (const option of optionTable.values()) expect(option.schema.safeParse(defaultOf(option)).success).toBe(true);
    expect(new Set([...optionTable.keys()].map(variableOf)).size).toBe(optionTable.size);
  });
});
