/** Roots of rooms, and what they say of the keys of servers. The keys of roots need not be on the machine of a server. */
import { NO_RECOVERY, type Signer, makeMandate, makeSuccession, recoveryOf } from '@weft/core';
import {
  type AuthorityFile,
  mandateIn,
  mustReadAuthority,
  readAuthority,
  successionIn,
  writeAuthority,
} from '../../serving/authority-file.js';
import { addSigner, signersOf } from '../../serving/authority.js';
import { PASSPHRASE, makeKeyFile, readKeyFile } from '../../serving/key-file.js';
import { configOf } from '../../serving/server-flags.js';
import { openStore } from '../../serving/stores.js';
import { type Terminal, UsageError, cliCommand } from '../../syntax/define.js';
import { configFlag, folderFlags, jsonFlag } from '../../syntax/flags.js';

const authorityFlag = {
  summary: 'Authority file, which servers are given.',
  value: 'file',
  default: './authority.json',
} as const;
const rootFlag = {
  summary: `Key file of the root, or of several, with commas between them; under a passphrase, that is in ${PASSPHRASE}.`,
  value: 'file',
  isRequired: true,
} as const;
const roomFlag = {
  summary: 'Id of the genesis of the one room that it is for; all rooms without.',
  value: 'hex',
} as const;

export const init = cliCommand({
  flags: {
    root: {
      ...rootFlag,
      summary: `File for the key of the root, which is made; under the passphrase in ${PASSPHRASE}, where there is one.`,
    },
    recovery: {
      summary: 'File for a key that takes rooms back when the root is lost or stolen; keep it elsewhere.',
      value: 'file',
    },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ root, recovery, authority, json }, terminal) => {
  if ((await readAuthority(authority)) !== undefined)
    throw new UsageError(
      `${authority} is there already: weft authority rotate names other roots, weft authority show says which there are`,
    );
  const passphrase = terminal.environment[PASSPHRASE];
  const { publicKey } = await makeKeyFile(root!, passphrase);
  const heir = recovery === undefined ? undefined : await makeKeyFile(recovery, passphrase);
  const named = heir && { recovery: recoveryOf(heir.publicKey) };
  await writeAuthority(authority, { ...NOTHING, roots: [publicKey], ...named });
  if (json) return terminal.out(JSON.stringify({ root: publicKey, ...named }));
  terminal.out(`root: ${publicKey}`);
  terminal.err(
    `weft: keep ${[root, recovery].filter(Boolean).join(' and ')} off the server; next, on the server: weft authority request`,
  );
});

const NOTHING = { founders: [], certificates: [], revocations: [], successions: [] };

export const request = cliCommand({
  flags: {
    store: { ...folderFlags.store, summary: 'Data folder, or database.' },
    'signer-key': {
      summary: 'Files with the keys that the process signs with.',
      value: 'file,file',
      initially: '`signer.key` in the data folder',
    },
    new: { summary: 'Make one more key: for new roots, or in place of one that is revoked.' },
    config: configFlag,
    json: jsonFlag,
  },
}).run(async (flags, terminal) => {
  const config = configOf(flags, terminal);
  if (config.store === 'memory')
    throw new UsageError('a store in memory keeps no key: name a data folder with --store');
  const found = flags.new ? [] : await signersOf(config).catch(() => []);
  const signer = found.at(-1) ?? (await addSigner(config)).signer;
  const founder = await founderOf(config.store);
  if (flags.json) return terminal.out(JSON.stringify({ founder, signer: signer.publicKey }));
  terminal.out(`weft authority certify --root <file> --founder ${founder} --signer ${signer.publicKey}`);
  terminal.err('weft: run this where the root is, and give the authority file to weft serve --authority');
});

/** Public key of the key that begins the rooms of a store. */
async function founderOf(place: string): Promise<string> {
  const { defaultCrypto } = await import('@weft/core');
  const store = await openStore(place);
  if (!place.includes('://')) return defaultCrypto.signer(await store.authoritySeed()).publicKey;
  await store.open();
  try {
    return defaultCrypto.signer(await store.authoritySeed()).publicKey;
  } finally {
    await store.close();
  }
}

export const certify = cliCommand({
  flags: {
    root: rootFlag,
    signer: { summary: 'Public key of a process, as weft authority request says it.', value: 'hex' },
    founder: { summary: 'Public key of its store, which begins rooms.', value: 'hex' },
    room: roomFlag,
    until: { summary: 'The last lamport of a room at which it counts there; for good without.', value: 'number' },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ root, signer, founder, room, until, authority, json }, terminal) => {
  const file = await mustReadAuthority(authority);
  const giver = await certifierIn(root!, file, { authority, terminal });
  if (signer === undefined && founder === undefined)
    throw new UsageError(
      'name whom to certify with --signer, and its store with --founder: weft authority request says both',
    );
  const made = { ...file };
  if (founder !== undefined)
    made.founders = [
      ...file.founders,
      hexOf(await makeMandate('founder', { key: keyNamed('founder', founder) }, giver)),
    ];
  if (signer !== undefined) {
    const key = keyNamed('signer', signer);
    for (const hex of file.revocations)
      if ((await mandateIn('signer-revoked', hex, authority)).key === key)
        throw new UsageError(
          `the key ${key} is revoked, and stays so: make another on the server with weft authority request --new`,
        );
    const claims = { key, ...scopeOf(room), ...(until === undefined ? {} : { until: lamportOf(until) }) };
    made.certificates = [...file.certificates, hexOf(await makeMandate('signer', claims, giver))];
  }
  await writeAuthority(authority, made);
  terminal.out(
    json ? JSON.stringify({ root: giver.publicKey, signer, founder }) : `${authority}: certified by ${giver.publicKey}`,
  );
});

export const revoke = cliCommand({
  flags: {
    root: rootFlag,
    signer: { summary: 'Public key of the process whose key is lost or stolen.', value: 'hex', isRequired: true },
    room: roomFlag,
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ root, signer, room, authority, json }, terminal) => {
  const file = await mustReadAuthority(authority);
  const [giver] = await rootsIn(root!, file, terminal);
  const key = keyNamed('signer', signer!);
  const revocation = hexOf(await makeMandate('signer-revoked', { key, ...scopeOf(room) }, giver!));
  await writeAuthority(authority, { ...file, revocations: [...file.revocations, revocation] });
  terminal.out(json ? JSON.stringify({ root: giver!.publicKey, signer: key }) : `${authority}: ${key} is revoked`);
  terminal.err('weft: each server says so in its rooms when it is started with this file');
});

export const rotate = cliCommand({
  flags: {
    root: {
      ...rootFlag,
      isRequired: false,
      summary: 'Key files of the roots until now, more than half of them, with commas between.',
    },
    recovery: {
      summary: 'In their place, the key file of the recovery, where a root is lost or stolen.',
      value: 'file',
    },
    'new-root': {
      summary: 'Key file of the root from now on; made where there is none. Several with commas between.',
      value: 'file',
      isRequired: true,
    },
    'new-recovery': { summary: 'Key file of the next recovery; made where there is none.', value: 'file' },
    to: { summary: 'Address that rooms move to, which the server of before tells everybody.', value: 'url' },
    room: roomFlag,
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async (flags, terminal) => {
  const { root, recovery, room, to, authority, json } = flags;
  const file = await mustReadAuthority(authority);
  const signers =
    recovery === undefined ? await mostOf(root, file, terminal) : [await heirIn(recovery, file, terminal)];
  const roots = await Promise.all(flags['new-root']!.split(',').map((path) => keyOrNew(path, terminal)));
  const next = flags['new-recovery'] === undefined ? undefined : await keyOrNew(flags['new-recovery'], terminal);
  const heir = next ? recoveryOf(next.publicKey) : recovery === undefined ? file.recovery : undefined;
  const claims = {
    roots: roots.map(({ publicKey }) => publicKey),
    serial: file.successions.length + 1,
    recovery: heir ?? NO_RECOVERY,
    ...scopeOf(room),
    ...(to === undefined ? {} : { address: to }),
  };
  const { recovery: _, ...kept } = file;
  const succession = hexOf(await makeSuccession(claims, signers));
  const successions = [...file.successions, succession];
  await writeAuthority(authority, {
    ...kept,
    successions,
    roots: claims.roots,
    ...(heir === undefined ? {} : { recovery: heir }),
  });
  terminal.out(
    json
      ? JSON.stringify({ roots: claims.roots, recovery: heir })
      : claims.roots.map((key) => `root: ${key}`).join('\n'),
  );
  terminal.err(
    'weft: certify a new key of each server by the new root: weft authority request --new there, then weft authority certify',
  );
});

export const show = cliCommand({ flags: { authority: authorityFlag, json: jsonFlag } }).run(
  async ({ authority: path, json }, terminal) => {
    const file = await mustReadAuthority(path);
    const [founders, certificates, revoked, successions] = [
      await Promise.all(file.founders.map((hex) => mandateIn('founder', hex, path))),
      await Promise.all(file.certificates.map((hex) => mandateIn('signer', hex, path))),
      await Promise.all(file.revocations.map((hex) => mandateIn('signer-revoked', hex, path))),
      await Promise.all(file.successions.map((hex) => successionIn(hex, path))),
    ];
    const said = ({ key, giver, scope, until }: (typeof certificates)[number]) => ({ key, by: giver, scope, until });
    const isRevoked = (key: string): boolean => revoked.some((each) => each.key === key);
    const shown = {
      roots: file.roots,
      recovery: file.recovery,
      founders: founders.map(said),
      signers: certificates.map((each) => ({ ...said(each), revoked: isRevoked(each.key) })),
      successions: successions.map(({ roots, signers, address }) => ({ roots, by: signers, address })),
    };
    if (json) return terminal.out(JSON.stringify(shown));
    for (const key of shown.roots) terminal.out(`root       ${key}`);
    if (shown.recovery !== undefined) terminal.out(`recovery   a key whose SHA-256 is ${shown.recovery}`);
    for (const { key, by } of shown.founders) terminal.out(`founder    ${key}  by ${by}`);
    for (const { key, by, revoked: is } of shown.signers)
      terminal.out(
        `signer     ${key}  by ${by}${is ? '  revoked' : file.roots.includes(by) ? '' : '  by a former root'}`,
      );
    for (const { roots, by, address } of shown.successions)
      terminal.out(`succession ${by.join(', ')} → ${roots.join(', ')}${address === '' ? '' : `, at ${address}`}`);
  },
);

async function keyIn(path: string, terminal: Terminal): Promise<Signer> {
  const signer = await readKeyFile(path, terminal.environment[PASSPHRASE]);
  if (signer) return signer;
  throw new UsageError(`there is no key file ${path}`);
}

async function keyOrNew(path: string, terminal: Terminal): Promise<Signer> {
  const passphrase = terminal.environment[PASSPHRASE];
  return (await readKeyFile(path, passphrase)) ?? makeKeyFile(path, passphrase);
}

/** Keys that are roots in the authority file. */
async function rootsIn(paths: string, file: AuthorityFile, terminal: Terminal): Promise<Signer[]> {
  const signers = await Promise.all(paths.split(',').map((path) => keyIn(path, terminal)));
  for (const { publicKey } of signers)
    if (!file.roots.includes(publicKey))
      throw new UsageError(`the key ${publicKey} is no root; the authority file names ${file.roots.join(', ')}`);
  return signers;
}

/** A root, or the key of a store: rooms from before there was a root have that as theirs. */
async function certifierIn(
  path: string,
  file: AuthorityFile,
  { authority, terminal }: { readonly authority: string; readonly terminal: Terminal },
): Promise<Signer> {
  const signer = await keyIn(path, terminal);
  for (const hex of file.founders)
    if ((await mandateIn('founder', hex, authority)).key === signer.publicKey) return signer;
  const [root] = await rootsIn(path, file, terminal);
  return root!;
}

async function mostOf(paths: string | undefined, file: AuthorityFile, terminal: Terminal): Promise<Signer[]> {
  if (paths === undefined)
    throw new UsageError('--root names the key files of the roots until now, or --recovery that of the recovery');
  const signers = await rootsIn(paths, file, terminal);
  if (signers.length * 2 > file.roots.length) return signers;
  throw new UsageError(
    `more than half of the ${file.roots.length} roots have to agree: name their key files with --root a.key,b.key`,
  );
}

async function heirIn(path: string, { recovery }: AuthorityFile, terminal: Terminal): Promise<Signer> {
  const heir = await keyIn(path, terminal);
  if (recovery === recoveryOf(heir.publicKey)) return heir;
  throw new UsageError(`the key in ${path} is not the recovery that the authority file names`);
}

function keyNamed(flag: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new UsageError(`--${flag} must be 64 hex characters: a public key`);
}

function scopeOf(room: string | undefined): { readonly scope?: string } {
  return room === undefined ? {} : { scope: keyNamed('room', room) };
}

function lamportOf(text: string): number {
  const until = Number(text);
  if (Number.isSafeInteger(until) && until > 0) return until;
  throw new UsageError(`--until takes a whole number from 1, not ${JSON.stringify(text)}`);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
