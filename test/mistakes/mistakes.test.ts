/**
 * Usual mistakes of whoever begins: each is answered by one message of at most three lines, which names the cause and what to do
 * next, without a stack trace, and with an exit code that `weft --help` explains.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type onTestFinished, beforeAll, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun } from '../support/programs/weft-run.js';

const run = promisify(execFile);

type Mistake = readonly [
  what: string,
  line: string,
  code: number,
  said: RegExp,
  env?: Readonly<Record<string, string>>,
];

/** Words: `@x` is a file of the folder, `@studio` the address of a studio without a repository, `@other` that of another server. */
const MISTAKES: readonly Mistake[] = [
  ['mistyped command', 'stauts', 2, /no command "stauts", did you mean weft status\?; weft --help/],
  ['no such command', 'frobnicate', 2, /no command "frobnicate"; weft --help lists them/],
  ['mistyped verb', 'room lsit', 2, /cannot "lsit", did you mean weft room list\?/],
  ['noun alone', 'key', 2, /weft key needs a word more: set, list, forget/],
  ['flag before the command', '--json status', 2, /flags come after a command: weft <command> --json/],
  ['mistyped flag', 'up --lisen 7878', 2, /Unknown option '--lisen', did you mean --listen\?; see weft up --help/],
  ['flag without its value', 'up --store', 2, /argument missing; see weft up --help/],
  ['value that is none of those', 'up --agents maybe', 2, /--agents takes on, off, not "maybe"; see weft up --help/],
  [
    'goal without quotes',
    'run Show two decimals',
    2,
    /takes <goal>, each of several words in quotes; see weft run --help/,
  ],
  ['no goal', 'run', 2, /weft run takes <goal>; see weft run --help/],
  [
    'empty goal',
    'run  --store @data',
    2,
    /the goal is empty: weft run "<what is to be achieved>"|weft run takes <goal>/,
  ],
  ['no number', 'up --goal-tokens lots', 2, /--goal-tokens takes a number, not lots/],
  [
    'server without its authority file',
    'serve --store @data --authority @none',
    2,
    /there is no authority file .*: weft authority init makes one/,
  ],
  [
    'authority for a store in memory',
    'serve --store memory --authority @none',
    2,
    /has another key at each start; name a data folder with --store/,
  ],
  [
    'key of a process without an authority',
    'serve --store @data --signer-key @none',
    2,
    /--signer-key needs --authority/,
  ],
  [
    'nobody to certify',
    'authority certify --root @none --authority @none',
    2,
    /there is no authority file .*: weft authority init makes one/,
  ],
  [
    'roots without their key',
    'authority rotate --new-root @none --authority @none',
    2,
    /there is no authority file .*: weft authority init/,
  ],
  ['no address to listen on', 'serve --listen here', 2, /--listen: .* write it like here:7878/],
  ['port too large', 'serve --listen 127.0.0.1:99999', 2, /the port must be 0 to 65535/],
  [
    'port taken, room server',
    'serve --store memory --listen 127.0.0.1:@port',
    1,
    /already in use; choose another with --listen/,
  ],
  [
    'port taken, studio',
    'studio --store memory --listen 127.0.0.1:@port',
    1,
    /already in use; choose another with --listen/,
  ],
  [
    'port taken, both',
    'up --store memory --listen 127.0.0.1:0 --studio-listen 127.0.0.1:@port',
    1,
    /choose another .*--studio-listen/,
  ],
  [
    'data folder is a file',
    'up --store @file --listen 127.0.0.1:0',
    1,
    /file: a file stands where a folder should; name another/,
  ],
  [
    'data folder cannot be made',
    'serve --store /proc/nowhere --listen 127.0.0.1:0',
    1,
    /cannot use the data folder .*--store|cannot use the data folder/,
  ],
  [
    'data folder of a newer version',
    'serve --store @newer --listen 127.0.0.1:0',
    1,
    /written by a newer Weft .*use that version/,
  ],
  ['no data folder', 'room list --store @none', 2, /none is no data folder of Weft; name one with --store/],
  ['options are no JSON', 'serve --config @half.json', 2, /half.json:1: is not JSON/],
  [
    'unknown option in the file',
    'serve --config @unknown.json',
    2,
    /"lisen": there is no such option; weft serve --help/,
  ],
  ['no such file of options', 'serve --config @nofile', 2, /cannot read .*name a JSON file/],
  ['mistyped variable', 'serve', 2, /WEFT_LISEN: there is no such option; weft serve --help/, { WEFT_LISEN: '1' }],
  ['empty variable', 'up', 2, /WEFT_SANDBOX is empty; see weft up --help/, { WEFT_SANDBOX: '' }],
  ['certificate without key', 'serve --store memory --tls-cert @file', 2, /tls-cert and tls-key go together/],
  [
    'no certificate',
    'serve --store memory --tls-cert @file --tls-key @file',
    1,
    /not a certificate and its key, in PEM/,
  ],
  [
    'unknown vendor',
    'studio --store memory --model oppenai/gpt',
    2,
    /with one of anthropic, openai, .*not oppenai\/gpt/,
  ],
  [
    'no file of models',
    'studio --store memory --models @nofile',
    2,
    /--models: .*nofile cannot be read \(ENOENT\); docs\/guide\/agents.md/,
  ],
  [
    'file of models is no JSON',
    'studio --store memory --models @half.json',
    2,
    /--models: .*it is no JSON; docs\/guide\/agents.md/,
  ],
  [
    'unknown field of models',
    'studio --store memory --models @unknown.json',
    2,
    /--models: .*lisen.*docs\/guide\/agents.md/,
  ],
  [
    'no script',
    'studio --store memory --listen 127.0.0.1:0 --models @noscript.json',
    1,
    /script .*gone.jsonl cannot be played: ENOENT/,
  ],
  [
    'broken script',
    'studio --store memory --listen 127.0.0.1:0 --models @badscript.json',
    1,
    /cannot be played: line 2/,
  ],
  [
    'no studio, nothing known',
    'status',
    2,
    /no studio of yours is known here .*start one with weft up, .*--store, or set WEFT_TOKEN/,
  ],
  [
    'no studio at the address',
    'status --at 1',
    1,
    /no studio answers at http:\/\/127.0.0.1:1: start one with weft up/,
    { WEFT_TOKEN: 'x' },
  ],
  [
    'another server at the address',
    'status --at @other',
    1,
    /what answers at .* is no studio \(200\)|is no studio/,
    { WEFT_TOKEN: 'x' },
  ],
  ['no address', 'status --at here', 2, /--at takes an address such as http:\/\/127.0.0.1:7880, not here/],
  [
    'address in the open',
    'status --at http://example.org',
    2,
    /a token is not sent to example.org in the open: use https/,
  ],
  [
    'wrong token',
    'status --at @studio',
    1,
    /does not know the token of WEFT_TOKEN: name the data folder .*--store/,
    { WEFT_TOKEN: 'x' },
  ],
  [
    "another studio's folder",
    'status --at @studio --store @foreign',
    1,
    /does not know the token of .*foreign.*--store, or set WEFT_TOKEN/,
  ],
  ['damaged tokens', 'status --at @studio --store @damaged', 2, /is damaged: stop the studio, delete the file/],
  [
    'token for another machine',
    'status --at https://example.org',
    2,
    /no token for example.org: set WEFT_TOKEN, or name .*--store/,
  ],
  [
    'no such goal',
    'status wu-none --at @studio --store @data',
    2,
    /there is no goal wu-none; weft status lists what there is/,
  ],
  ['nothing to follow', 'follow --at @studio --store @data', 2, /no goal is under way: weft run "<goal>" sets one/],
  ['nothing to review', 'review --at @studio --store @data', 2, /no proposal waits for you; weft status/],
  ['no such proposal', 'approve MP-1 --at @studio --store @data', 2, /there is no proposal MP-1; weft status/],
  ['no such question', 'answer q yes --at @studio --store @data', 2, /there is no open question q; weft status/],
  [
    'two ways at once',
    'retry wu-1 --go-on --plan-anew --at @studio --store @data',
    2,
    /one of --with, --go-on and --plan-anew is taken/,
  ],
  [
    'folder that is not there',
    'run g --repo @none --at @studio --store @data',
    2,
    /there is no folder .*none; name one with --repo/,
  ],
  [
    'folder that nobody has agreed to',
    'run g --repo @plain --at @studio --store @data',
    2,
    /plain is not registered .*give --yes to register it/,
  ],
  [
    'no repository',
    'studio external-goal run --goal g --at @studio --store @data',
    1,
    /no repository is registered .*weft run "<goal>"/,
  ],
  [
    'model without its key',
    'run g --repo @plain --yes --at @studio --store @data',
    1,
    /needs the key "openai", .*weft key set openai/,
  ],
  [
    'several repositories',
    'studio external-goal run --goal g --at @studio --store @data',
    1,
    /2 repositories are registered, .*plain.*weft studio repository list/,
  ],
  [
    'no such program for tools',
    'tools add docs --command nosuchprogram --at @studio --store @data',
    1,
    /nosuchprogram could not be started .*Install it on the machine of the host, or name another command/,
  ],
  ['key as an argument', 'key set openai sk-1 --at @studio --store @data', 2, /weft key set takes <name>/],
  [
    'no key on standard input',
    'key set openai --at @studio --store @data',
    2,
    /no key came over standard input: printenv SOME_KEY \| weft key set openai/,
  ],
  [
    'a file as a repository',
    'studio repository register --path @file --at @studio --store @data',
    1,
    /file is a file; name a folder/,
  ],
  [
    'relative field that is no flag',
    'studio repository register --pth x --at @studio --store @data',
    2,
    /Unknown option '--pth'/,
  ],
  ['mistyped noun', 'studio gaol list', 2, /the studio knows no gaol; did you mean weft studio goal\?/],
  ['mistyped verb of a noun', 'studio goal lst', 2, /goal cannot lst.*; did you mean list\?/],
  ['field that is missing', 'studio workunit create', 2, /--goal missing; see weft studio workunit create --help/],
  [
    'no right of that name',
    `token --room plans --peer ${'ab'.repeat(32)} --caps room.amdin`,
    2,
    /no right room.amdin; there are room.admin/,
  ],
  ['no public key', 'token --room plans --peer me', 2, /--peer must be 64 hex characters: its public key/],
  [
    'listening by another name',
    'up --port 7878',
    2,
    /Unknown option '--port', did you mean --listen\?; see weft up --help/,
  ],
  ['listening by a third name', 'serve --addr 7878', 2, /Unknown option '--addr', did you mean --listen\?; see weft/],
  ['port as a word', 'serve 7878', 2, /weft serve takes flags alone, not "7878"; see weft serve --help/],
  [
    'id as a word',
    'webhook remove one --store @data',
    2,
    /weft webhook remove takes --id <text> and flags, not "one" as well/,
  ],
  [
    'one name too many',
    'room fork a b',
    2,
    /weft room fork takes <room> --child <text> and flags, not "b" as well; see/,
  ],
  ['flag that must be given', 'room why plans --store @data', 2, /--key must be given; see weft room why --help/],
  ['version and more', '--version --jsn', 2, /--version takes --json alone, not "--jsn"/],
  [
    'room id that is none',
    'room inspect plans! --store @data',
    1,
    /is not a room id; one is 1 to 128 of the characters/,
  ],
  ['no such room', 'replay plans --store @data', 1, /there is no room plans; weft room list shows those there are/],
  ['no folder for archives', 'archive describe x --store @data', 1, /start the server with --archive-root <folder>/],
  ['no pack', 'pack inspect @file', 1, /cannot read .*file as a pack: not a pack/],
  ['unknown shell', 'completion --shell csh', 2, /--shell takes bash, zsh, fish, not "csh"/],
  ['unknown client of tools', 'mcp install emacs', 2, /takes claude, cursor, vscode, codex, not emacs/],
  ['screen without a terminal', 'top', 2, /none here: weft status and weft follow print lines instead/],
  ['backup into the data', 'backup @data/inside --store @data', 1, /is in the data folder.*name a folder elsewhere/],
  ['no backup', 'restore @plain --store @fresh', 1, /plain is no backup.*name one that weft backup made/],
  ['nothing to bring forward', 'migrate --store @none', 1, /none is no data folder of Weft.*name the one you mean/],
  [
    'folder that cannot be made',
    'up --listen 127.0.0.1:0 --store /proc/nowhere',
    1,
    /cannot use the data folder .*proc.nowhere: there can be no such folder; name another/,
  ],
  ['a file to look at', 'doctor --store @file', 1, /file: a file stands where a folder should; name another/],
  ['a file with rooms', 'room list --store @file', 1, /file: a file stands where a folder should; name another/],
  [
    'data folder in use',
    'up --store @data --listen 127.0.0.1:0',
    1,
    /is in use by another Weft process.*choose another/,
  ],
  [
    'no such time',
    `token --room plans --peer ${'ab'.repeat(32)} --ttl forever`,
    2,
    /--ttl takes a number with s, m, h or d/,
  ],
  [
    'key file that is none',
    `token --room plans --peer ${'ab'.repeat(32)} --admin-key @file`,
    2,
    /file must hold 64 hex characters/,
  ],
  ['no address to tell', 'webhook add --url here --store @data', 1, /url: here is no http address/],
  ['BOM in JSON', 'studio --store memory --models @bom.json', 2, /--models: .*lisen/],
  ['BOM in options', 'serve --config @bom.json', 2, /"lisen": there is no such option/],
  [
    'wrong type in JSON',
    'studio --store memory --models @wrong.json',
    2,
    /--models: .*wrong.json: model: Invalid input: expected object, received number; docs/,
  ],
  [
    'no object in JSON',
    'studio --store memory --models @null.json',
    2,
    /--models: .*null.json: Invalid input: expected object, received null; docs/,
  ],
  [
    'script that is not named',
    'studio --store memory --listen 127.0.0.1:0 --models @unscripted.json',
    1,
    /name it as "script" in the host's file of models/,
  ],
  ['folder as models', 'studio --store memory --models @plain', 2, /plain cannot be read \(EISDIR\)/],
  ['nothing to try', 'eval', 2, /name the model to be tried: --model provider\/name/],
  [
    'nowhere to keep it',
    'eval --model openai/gpt-5 --save @none/report.json',
    2,
    /cannot keep the report in \S+none \(ENOENT\); name a file with --save/,
  ],
  ['no report', 'eval compare @none @none', 2, /cannot read .*none \(ENOENT\); name one that weft eval has kept/],
  [
    'report that is none',
    'eval compare @null.json @null.json',
    2,
    /null.json is no report; name one that weft eval has kept/,
  ],
  ['socket as an address', 'status --at ws://127.0.0.1:1', 2, /--at takes an address such as http:.*, not ws:/],
  [
    'token of two lines',
    'status --at @studio',
    2,
    /WEFT_TOKEN holds no token: one is a line without spaces, as weft token show prints it/,
    { WEFT_TOKEN: 'a\nb' },
  ],
  [
    'port of another, with a studio elsewhere',
    'status --at @other',
    2,
    /no studio of yours is known at http:.*: http:\/\/127.0.0.1:9 \(.*\) is; for another set WEFT_TOKEN, or name its data folder with --store/,
    { XDG_STATE_HOME: '@known' },
  ],
  [
    'address as a folder',
    'run g --repo https://example.org/x.git --at @studio --store @data',
    2,
    /is an address: weft clone https:\/\/example.org\/x.git copies it, then name the folder/,
  ],
  [
    'bare repository',
    'run g --repo @bare --yes --at @studio --store @data',
    1,
    /^weft: \S+ is a bare repository; register a clone/,
  ],
  [
    'repository within',
    'run g --repo @outer --yes --at @studio --store @data',
    1,
    /^weft: \S+ has a git repository in it; register that/,
  ],
  [
    'outside the roots',
    'run g --repo / --yes --at @studio --store @data',
    1,
    /^weft: \/ is in none of the studio's folders .*; start it with --roots to have another/,
  ],
  [
    'the data as a project',
    'run g --repo @data --yes --at @studio --store @data',
    1,
    /^weft: \S+ holds the studio's own folder; name one project's/,
  ],
  [
    'damaged repository',
    'run g --repo @broken --yes --at @studio --store @data',
    1,
    /^weft: git rev-parse failed in \S+ \(reject.git_failed\).*Git said: fatal: not a git repository/,
  ],
  [
    'clone of nothing',
    'clone nowhere --at @studio --store @data',
    2,
    /there is no folder \S+nowhere, and it is no address/,
  ],
  ['no such goal to go on', 'retry none --at @studio --store @data', 2, /there is no goal none; weft status/],
  ['no such goal to stop', 'stop none --at @studio --store @data', 2, /there is no goal none; weft status/],
  ['no such goal to count', 'cost none --at @studio --store @data', 2, /there is no goal none; weft status/],
  ['no such goal to draw', 'goal graph none --at @studio --store @data', 2, /there is no goal none; weft status/],
  [
    'two decisions at once',
    'review MP-1 --reject no --comment yes --at @studio --store @data',
    2,
    /--reject and --comment are two answers: give one/,
  ],
  [
    'tools of nobody',
    'tools add x --at @studio --store @data',
    1,
    /^weft: command: give command or url, one of them \(\S+\)\. Correct the fields and call again\.$/,
  ],
  ['no such memory', 'memory confirm x --at @studio --store @data', 2, /there is no memory x; weft memory list/],
  ['no such key', 'key forget none --at @studio --store @data', 2, /the studio holds no key none; weft key list shows/],
  ['backup over something', 'backup @newer --store @data', 1, /is there already; name a folder that is not/],
];

let folder: string;
let at: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await tempFolder(afterwards);
  for (const [name, text] of [
    ['file', 'x'],
    ['half.json', '{ "listen": '],
    ['unknown.json', '{ "lisen": 1 }'],
    ['noscript.json', '{ "model": { "provider": "scripted" }, "script": "gone.jsonl" }'],
    ['badscript.json', '{ "model": { "provider": "scripted" }, "script": "bad.jsonl" }'],
    ['bad.jsonl', '{"script":1}\n{"calls":3}\n'],
    ['bom.json', '\ufeff{ "lisen": 1 }'],
    ['wrong.json', '{ "model": 3 }'],
    ['null.json', 'null'],
    ['unscripted.json', '{ "model": { "provider": "scripted" } }'],
  ] as const)
    await writeFile(join(folder, name), text);
  for (const name of [
    'newer',
    'foreign',
    'damaged',
    'plain',
    'second',
    'broken/.git',
    'outer/inner',
    'known/weft/studios',
  ])
    await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'newer', 'format'), '99\n', { mode: 0o600 });
  const tokens = Object.fromEntries(['admin', 'operate', 'read'].map((name) => [name, 'a'.repeat(64)]));
  await writeFile(join(folder, 'foreign', 'studio.tokens.json'), JSON.stringify(tokens));
  await writeFile(join(folder, 'damaged', 'studio.tokens.json'), '{ "admin"');
  for (const name of ['plain', 'second']) await writeFile(join(folder, name, 'a.txt'), name);
  await writeFile(join(folder, 'broken', '.git', 'HEAD'), 'garbage');
  for (const words of [['--bare', 'bare'], ['outer/inner']])
    await run('git', ['init', '--quiet', ...words], { cwd: folder });
  await writeFile(join(folder, 'outer', 'a.txt'), 'a');
  const elsewhere = { origin: 'http://127.0.0.1:9', store: join(folder, 'elsewhere'), pid: process.pid };
  await writeFile(join(folder, 'known', 'weft', 'studios', 'a.json'), JSON.stringify(elsewhere));
  const other = createServer((_request, response) => response.end('<h1>It works!</h1>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const studio = new WeftRun(
    // What agents' programs may do is the same with bubblewrap and without.
    ['studio', '--listen', '127.0.0.1:0', '--store', join(folder, 'data'), '--model', 'openai/gpt-5', '--unconfined'],
    { whenFinished: (stop) => void stops.push(stop as () => Promise<void>) },
  );
  const [url = ''] = await studio.line(/^http:\S+$/);
  at = { '@studio': new URL(url).origin, '@other': `http://127.0.0.1:${port}`, '@port': String(port) };
  return async () => {
    other.close();
    for (const stop of stops.toReversed()) await stop();
  };
});

const stops: (() => unknown)[] = [];
/** The end of this file, in place of the end of one test. */
const afterwards = ((stop: () => unknown) => void stops.push(stop)) as typeof onTestFinished;

const wordOf = (word: string): string =>
  word
    .replace('@port', at['@port'] ?? '')
    .replace(/^@(studio|other)$/, (name) => at[name] ?? '')
    .replace(/^@/, `${folder}/`);

/** One message, as somebody reads it who has no idea of what is behind it. */
function judge(err: readonly string[], said: RegExp): void {
  // A server that had begun has a log, which is not the message.
  const message = err.filter((line) => !line.startsWith('{')).join('\n');
  expect(message).toMatch(said);
  expect(message.split('\n').length).toBeLessThanOrEqual(3);
  expect(message).not.toMatch(/^\s+at |node:internal|\[object|undefined/m);
}

// In their order: a later one may stand on what an earlier one has left.
for (const [what, line, code, said, env = {}] of MISTAKES) {
  it(`${what}: weft ${line}`, async () => {
    if (what === 'several repositories') {
      const words = ['studio', 'repository', 'register', '--path', '@second', '--at', '@studio', '--store', '@data'];
      expect(await new WeftRun(words.map(wordOf)).ended).toBe(0);
    }
    const command = new WeftRun(line.split(' ').map(wordOf), {
      env: Object.fromEntries(
        Object.entries({ XDG_STATE_HOME: '@state', ...env }).map(([name, value]) => [name, wordOf(value)]),
      ),
    });
    expect([await command.ended, command.out]).toEqual([code, []]);
    judge(command.err, said);
  });
}

it('there are a hundred of them, or more', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(100);
});

it('no git: whoever registers a folder is told to install it', async () => {
  const store = join(await tempFolder(), 'data');
  const env = { PATH: join(folder, 'no-programs') };
  const studio = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', store], { env });
  const [url = ''] = await studio.line(/^http:\S+$/);
  const words = ['studio', 'repository', 'register', '--path', join(folder, 'plain'), '--at', url, '--store', store];
  const command = new WeftRun(words);
  expect(await command.ended).toBe(1);
  judge(command.err, /git is not installed .*Install git, such as with apt-get install git/);
});

it('a home that cannot be written: the studio works, and says how commands reach it', async () => {
  const env = { XDG_STATE_HOME: join(folder, 'file') };
  const studio = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', join(folder, 'homeless')], { env });
  const [url = ''] = await studio.line(/^http:\S+$/);
  const { origin } = new URL(url);
  const [said] = await studio.line(/other commands will not find this studio.*/, studio.err);
  expect(said).toContain(`give them --at ${origin} --store ${join(folder, 'homeless')}`);
});

it('a key that is none: several lines, or more than a key has', async () => {
  for (const sent of ['sk-1\nsk-2\n', 'sk 1\n', 'x'.repeat(100_000)]) {
    const input = Readable.from([sent]);
    const command = new WeftRun(['key', 'set', 'openai', '--at', wordOf('@studio'), '--store', wordOf('@data')], {
      input,
    });
    expect([await command.ended, command.out]).toEqual([2, []]);
    judge(command.err, /what came over standard input is no key: one is a line of at most 8192 letters without spaces/);
  }
});

it('Ctrl-C where a key is asked for', async () => {
  const input = Readable.from(['\u0003']);
  const command = new WeftRun(['key', 'set', 'openai', '--at', wordOf('@studio')], { input, answers: [] });
  expect([await command.ended, command.out]).toEqual([130, []]);
  judge(command.err.slice(1), /^weft: stopped before it had ended$/);
});

it('what is over already: approved, answered, stopped or rejected twice', async () => {
  const models = join(folder, 'scripted.json');
  await writeFile(models, '{ "model": { "provider": "scripted" }, "script": "scripted.jsonl" }');
  const call = (name: string, input: object): object => ({ calls: [{ name, input }] });
  const script = [
    { script: 1 },
    { when: { role: 'worker' }, ...call('svc_v1_workspace_write', { path: 'b.txt', content: 'b' }) },
    call('svc_v1_merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: 'b' }),
  ];
  await writeFile(join(folder, 'scripted.jsonl'), script.map((line) => JSON.stringify(line)).join('\n'));
  const store = join(folder, 'scripted');
  const studio = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', store, '--models', models]);
  const [url = ''] = await studio.line(/^http:\S+$/);
  const at = ['--at', url, '--store', store];
  const told = async (line: string, code: number, said: RegExp): Promise<void> => {
    const command = new WeftRun([...line.split(' '), ...at]);
    expect([await command.ended, command.out]).toEqual([code, []]);
    judge(command.err, said);
  };
  const begun = new WeftRun(['run', 'g', '--repo', join(folder, 'plain'), '--yes', ...at]);
  const [, id = ''] = await begun.line(/weft review (MP-\w+)/);
  await begun.ended;
  const [, goal = ''] = await begun.line(/goal (wu-\w+)/);
  expect(await new WeftRun(['approve', id, ...at]).ended).toBe(0);
  await told(
    `approve ${id}`,
    1,
    /is Merged; only approved ones land \(reject.wrong_state\). weft status shows what waits/,
  );
  await told(`review ${id} --reject no`, 1, /is Merged cannot become Rejected \(\S+\). weft status shows what waits/);
  await told('review', 2, /no proposal waits for you; weft status/);
  await told('approve', 2, /no proposal waits for you; weft status/);
  await told('answer q yes', 2, /there is no open question q; weft status/);
  await told(`retry ${goal}`, 1, /has failed or is held up \(\S+\). weft status shows what has failed/);
});
