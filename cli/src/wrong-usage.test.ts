/** What somebody reads who has asked for what cannot be: one line, which says what to do, and an exit code. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createHost, systemClock } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from './run.js';

interface Said {
  readonly code: number;
  readonly err: string;
}

async function weft(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Said> {
  const lines: string[] = [];
  const stop = AbortSignal.timeout(20_000);
  const code = await run(args, {
    isInteractive: false,
    canAsk: false,
    page: () => Promise.resolve(),
    clock: systemClock,
    input: () => Readable.from([]),
    environment,
    stop,
    out: () => undefined,
    status: () => undefined,
    paint: (_, text) => text,
    err: (line) => lines.push(line),
  });
  // The log of a server that began has lines of its own.
  return { code, err: lines.filter((line) => line.startsWith('weft: ')).join('\n') };
}

const PEER = 'ab'.repeat(32);
const taken = createServer();
let folder: string;
let port: number;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
  const host = createHost({ store: levelStore(at('data')) });
  await (await host.room('plans')).set('k', 1);
  await host.close();
  for (const [name, text] of [
    ['half.json', '{ "listen": "127.0.0.1:1", '],
    ['unknown.json', '{\n  "lisen": 1 }'],
    ['kind.json', '{ "limit-frame-bytes": "many" }'],
    ['kinds.json', '{ "archive-trust": "abc" }'],
    ['backup.json', '{}'],
  ] as const)
    await writeFile(at(name), text);
  await mkdir(at('newer'));
  await writeFile(at('newer/format'), '99\n', { mode: 0o600 });
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  port = (taken.address() as AddressInfo).port;
});
afterAll(async () => {
  taken.close();
  await rm(folder, { recursive: true });
});

type Wrong = readonly [args: string, code: number, text: RegExp, environment?: Readonly<Record<string, string>>];

/** `@x` is the file of that name, `@port` a port that is taken. */
const WRONG: readonly Wrong[] = [
  ['serve --listen 127.0.0.1:0 --store /proc/nowhere/at/all', 1, /cannot use the data folder/],
  ['sevre', 2, /there is no command "sevre", did you mean weft serve\?; weft --help/],
  ['--json room list', 2, /flags come after a command: weft <command> --json; weft --help/],
  ['room', 2, /weft room needs a word more: list, watch, inspect, /],
  ['room lst', 2, /weft room cannot "lst", did you mean weft room list\?/],
  ['serve --lisen x', 2, /Unknown option '--lisen', did you mean --listen\?; see weft serve --help/],
  ['serve --listen', 2, /argument missing; see weft serve --help/],
  ['serve more', 2, /weft serve takes flags alone, not "more"; see weft serve --help/],
  ['serve --listen nonsense', 2, /--listen: .* write it like nonsense:7878/],
  ['serve --listen 127.0.0.1:99999', 2, /--listen: .* the port must be 0 to 65535/],
  ['serve --listen 127.0.0.1:@port --store memory', 1, /address already in use; choose another with --listen/],
  [
    'serve --listen 127.0.0.1:0 --metrics-addr 127.0.0.1:@port --store memory',
    1,
    /address already in use; choose another with --metrics-addr/,
  ],
  [
    'up --listen 127.0.0.1:0 --studio-listen 127.0.0.1:@port --store memory',
    1,
    /address already in use; choose another .*--studio-listen/,
  ],
  ['serve --store @half.json', 1, /half.json: a file stands where a folder should; name another/],
  ['serve --store @newer', 1, /newer was written by a newer Weft .*use that version/],
  ['serve --tls-cert @half.json', 2, /tls-cert and tls-key go together/],
  ['serve --tls-cert @none --tls-key @none --store memory', 1, /--tls-cert: cannot read .*name a PEM file/],
  ['serve --tls-cert @half.json --tls-key @half.json --store memory', 1, /not a certificate and its key, in PEM/],
  ['serve --limit-frame-bytes abc', 2, /--limit-frame-bytes: must be a whole number, not "abc"/],
  ['serve --transport tcp', 2, /--transport: must be one of auto, uws, ws/],
  ['serve --blob-store s3://bucket?endpoint=http://127.0.0.1:1', 2, /WEFT_BLOB_ACCESS_KEY and WEFT_BLOB_SECRET_KEY/],
  ['serve --store postgres://x/y --cold-store s3://bucket', 2, /WEFT_COLD_ACCESS_KEY and WEFT_COLD_SECRET_KEY/],
  ['serve --cold-after-days 1.5', 2, /--cold-after-days: must be a whole number, not "1.5"/],
  [
    'serve --store @data --cold-store s3://bucket',
    2,
    /cold-store: only rooms in a database may lie there; name one with --store postgres:/,
    { WEFT_COLD_ACCESS_KEY: 'a', WEFT_COLD_SECRET_KEY: 'b' },
  ],
  ['cold --store @data', 1, /there is no cold store; name it with WEFT_COLD_STORE/],
  ['serve --config @none', 2, /--config: cannot read .*name a JSON file/],
  ['serve --config @half.json', 2, /half.json:1: is not JSON/],
  ['serve --config @unknown.json', 2, /unknown.json:2 "lisen": there is no such option; weft serve --help/],
  ['serve --config @kind.json', 2, /kind.json:1 "limit-frame-bytes": must be a number/],
  ['serve --config @kinds.json', 2, /kinds.json:1 "archive-trust": must be a list/],
  ['serve', 2, /WEFT_LISEN: there is no such option; weft serve --help/, { WEFT_LISEN: '127.0.0.1:0' }],
  ['serve', 2, /WEFT_LISTEN: bad address .*write it like here:7878/, { WEFT_LISTEN: 'here' }],
  [
    'up',
    2,
    /WEFT_SANDBOX takes packages, offline, network, not "maybe"; see weft up --help/,
    { WEFT_SANDBOX: 'maybe' },
  ],
  ['up --sandbox-hosts a/b', 2, /--sandbox-hosts: a\/b is no server: name it as/],
  ['up', 2, /WEFT_SANDBOX is empty; see weft up --help/, { WEFT_SANDBOX: '' }],
  ['up --goal-tokens many', 2, /--goal-tokens takes a number, not many/],
  ['room list --store @none', 2, /none is no data folder of Weft; name one with --store/],
  ['room inspect', 2, /weft room inspect takes <room>; see weft room inspect --help/],
  ['room inspect a/b --store @data', 1, /"a\/b" is not a room id; one is 1 to 128 of the characters/],
  ['room inspect nosuch --store @data', 1, /there is no room nosuch; weft room list/],
  ['replay nosuch --store @data', 1, /there is no room nosuch; weft room list/],
  ['replay ~host --store @data', 1, /"~host" belongs to the host/],
  ['replay plans --store @data --limit x', 2, /--limit takes a number from 1, not "x"/],
  ['replay plans --store @data --limit 0', 2, /--limit takes a number from 1, not "0"/],
  ['archive export nosuch a --store @data --archive-root @archives', 1, /there is no room nosuch; weft room list/],
  [
    'archive export plans a --store @data',
    1,
    /there is no folder for archives: start the server with --archive-root <folder>, or give that here/,
  ],
  ['token --room plans --peer abc', 2, /--peer must be 64 hex characters: its public key/],
  [`token --peer ${PEER}`, 2, /--room must be the id of a room/],
  [`token --room plans --peer ${PEER} --admin-key @none`, 2, /cannot read the key file .*none; the server makes one/],
  [`token --room plans --peer ${PEER} --admin-key @newer`, 2, /cannot read the key file .*newer/],
  [`token --room plans --peer ${PEER} --caps room.amdin`, 2, /there is no right room.amdin; there are room.admin, /],
  [`token --room plans --peer ${PEER} --ttl forever`, 2, /--ttl takes a number with s, m, h or d: 1h/],
  ['backup', 2, /weft backup takes <new folder>/],
  ['backup @newer --store @data', 1, /is there already; name a folder that is not/],
  ['backup @data/copy --store @data', 1, /is in the data folder, and would be lost with it; name a folder elsewhere/],
  ['restore @none --store @new', 1, /none is no backup, .*name one that weft backup made/],
  ['restore @. --store @new', 1, /is not a backup that this version of Weft can read; use the version/],
  ['gc --grace 5 --store @data', 2, /--grace takes a number with s, m, h or d: 1h/],
  ['pack inspect @none', 2, /cannot read .*none; name a file/],
  ['pack inspect @half.json', 1, /cannot read .*half.json as a pack: /],
  ['bench --in @none', 2, /cannot make a folder in .*none; name one that this user can write with --in/],
  ['completion --shell tcsh', 2, /--shell takes bash, zsh, fish, not "tcsh"; see weft completion --help/],
  ['studio repositry list', 2, /the studio knows no repositry; did you mean weft studio repository\?/],
  ['studio repository lst', 2, /repository cannot lst; did you mean list\?/],
  [
    'studio repository list --store @data',
    2,
    /no studio of yours is known here .*weft up, .*--store, or set WEFT_TOKEN/,
  ],
  ['studio repository list --at nonsense', 2, /--at takes an address such as http/],
  ['studio repository list --at http://127.0.0.1:1', 1, /no studio answers at .*start one/, { WEFT_TOKEN: 'x' }],
];

it.each(WRONG.map(([args, code, said, environment]) => ({ args, code, said, environment })))(
  'weft $args',
  async (wrong) => {
    const args = wrong.args.split(' ').map((word) => word.replace('@port', String(port)).replace(/^@/, `${folder}/`));
    const { err, ...ended } = await weft(args, wrong.environment);
    expect(err).toMatch(wrong.said);
    expect(err.split('\n')).toHaveLength(1);
    expect(ended.code).toBe(wrong.code);
  },
);

it('variables of the studio are none of the room server, and those that a studio gives to programs neither', async () => {
  const environment = {
    WEFT_MODEL_URL: 'http://127.0.0.1:1',
    WEFT_RUN: 'mark',
    WEFT_SANDBOX: 'offline',
    WEFT_SANDBOX_HOSTS: 'public',
    WEFT_TOKEN: 'x',
  };
  expect(await weft(['serve', '--store', 'memory', '--print-config'], environment)).toEqual({ code: 0, err: '' });
});
