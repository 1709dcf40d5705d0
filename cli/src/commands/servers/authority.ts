/** Roots of rooms, and what they say of the keys of servers. The keys of roots need not be on the machine of a server. */
import { makeMandate, recoveryOf } from '@weft/core';
import {
  type Term,
  mandateIn,
  mustReadAuthority,
  readAuthority,
  successionIn,
  writeAuthority,
} from '../../serving/authority-file.js';
import { addSigner, signersOf } from '../../serving/authority.js';
import { PASSPHRASE, makeKeyFile } from '../../serving/key-file.js';
import { certifierIn, hexOf, keyNamed, keyOrNew, keysNamed, rootOfSome, scopeOf } from '../../serving/root-keys.js';
import { configOf } from '../../serving/server-flags.js';
import { openStore } from '../../serving/stores.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { configFlag, folderFlags, jsonFlag } from '../../syntax/flags.js';
import { authorityFlag, roomFlag, rootFlag } from './authority-flags.js';

export const init = cliCommand({
  flags: {
    root: {
      ...rootFlag,
      summary: `File for the key of the root, which is made; under the passphrase in ${PASSPHRASE}, where there is one.`,
    },
    with: {
      summary:
        'Public keys of other roots beside it, as weft authority key says them where these are; with commas between.',
      value: 'hex,hex',
    },
    recovery: {
      summary:
        'File for a key that takes rooms back when the root is lost or stolen, to be kept elsewhere; or its public key.',
      value: 'file',
    },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ root, with: others, recovery, authority, json }, terminal) => {
  if ((await readAuthority(authority)) !== undefined)
    throw new UsageError(
      `${authority} is there already: weft authority rotate names other roots, weft authority show says which there are`,
    );
  const passphrase = terminal.environment[PASSPHRASE];
  const { publicKey } = await makeKeyFile(root!, passphrase);
  const [heir] = recovery === undefined ? [] : await keysNamed(recovery, terminal);
  const named = heir === undefined ? {} : { recovery: recoveryOf(heir) };
  const roots = [publicKey, ...(others?.split(',') ?? []).map((key) => keyNamed('with', key))];
  await writeAuthority(authority, { ...NOTHING, roots, ...named });
  if (json) return terminal.out(JSON.stringify({ root: publicKey, ...named }));
  for (const key of roots) terminal.out(`root: ${key}`);
  terminal.err(
    `weft: keep ${[root, recovery].filter(Boolean).join(' and ')} off the server; next, on the server: weft authority request`,
  );
});

const NOTHING = { founders: [], certificates: [], revocations: [], successions: [] };

export const key = cliCommand({
  flags: {
    root: { ...rootFlag, summary: `Key file of a root, which is made where there is none.` },
    json: jsonFlag,
  },
}).run(async ({ root, json }, terminal) => {
  const { publicKey } = await keyOrNew(root!, terminal);
  terminal.out(json ? JSON.stringify({ root: publicKey }) : publicKey);
});

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
    days: {
      summary: 'For how many days the server may use it; for good without. The server looks at that itself.',
      value: 'number',
    },
    from: { summary: 'Date from which these days count; today without.', value: 'date' },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ root, signer, founder, room, until, days, from, authority, json }, terminal) => {
  const file = await mustReadAuthority(authority);
  const giver = await certifierIn(root!, file, { authority, terminal });
  if (signer === undefined && founder === undefined)
    throw new UsageError(
      'name whom to certify with --signer, and its store with --founder: weft authority request says both',
    );
  const term = days === undefined ? undefined : termOf(days, from);
  if (days === undefined && from !== undefined) throw new UsageError('--from needs --days: for how many it counts');
  const { terms, ...made } = { ...file };
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
  const others = Object.entries(terms ?? {}).filter(([key]) => key !== signer?.toLowerCase());
  if (signer !== undefined && term) others.push([signer.toLowerCase(), term]);
  await writeAuthority(authority, others.length === 0 ? made : { ...made, terms: Object.fromEntries(others) });
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
  const giver = await rootOfSome(root!, file, { authority, terminal });
  const key = keyNamed('signer', signer!);
  const revocation = hexOf(await makeMandate('signer-revoked', { key, ...scopeOf(room) }, giver));
  await writeAuthority(authority, { ...file, revocations: [...file.revocations, revocation] });
  terminal.out(json ? JSON.stringify({ root: giver.publicKey, signer: key }) : `${authority}: ${key} is revoked`);
  terminal.err('weft: each server says so in its rooms when it has this file: one that runs looks for it by itself');
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
      signers: certificates.map((each) => ({
        ...said(each),
        revoked: isRevoked(each.key),
        term: file.terms?.[each.key],
      })),
      successions: successions.map(({ roots, signers, address }) => ({ roots, by: signers, address })),
    };
    if (json) return terminal.out(JSON.stringify(shown));
    for (const key of shown.roots) terminal.out(`root       ${key}`);
    if (shown.recovery !== undefined) terminal.out(`recovery   a key whose SHA-256 is ${shown.recovery}`);
    for (const { key, by } of shown.founders) terminal.out(`founder    ${key}  by ${by}`);
    for (const { key, by, revoked: is, term } of shown.signers) {
      const standing = is ? '  revoked' : file.roots.includes(by) ? '' : '  by a former root';
      terminal.out(`signer     ${key}  by ${by}${standing}${term ? `  from ${term.from} to ${term.to}` : ''}`);
    }
    for (const { roots, by, address } of shown.successions)
      terminal.out(`succession ${by.join(', ')} → ${roots.join(', ')}${address === '' ? '' : `, at ${address}`}`);
  },
);

const DAY_MS = 86_400_000;
const MOST_DAYS = 36_500;

function termOf(days: string, from: string | undefined): Term {
  const count = Number(days);
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST_DAYS)
    throw new UsageError(`--days takes a whole number from 1 to ${MOST_DAYS}, not ${JSON.stringify(days)}`);
  const start = from === undefined ? Date.now() : Date.parse(from);
  if (Number.isNaN(start)) throw new UsageError(`--from takes a date such as 2030-01-31, not ${JSON.stringify(from)}`);
  return { from: new Date(start).toISOString(), to: new Date(start + count * DAY_MS).toISOString() };
}

function lamportOf(text: string): number {
  const until = Number(text);
  if (Number.isSafeInteger(until) && until > 0) return until;
  throw new UsageError(`--until takes a whole number from 1, not ${JSON.stringify(text)}`);
}
