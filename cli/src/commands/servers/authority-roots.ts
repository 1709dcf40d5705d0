/**
 * Roots that change: by one command where enough of their keys are on one machine, and else as a proposal that is carried from one to
 * the next and signed at each.
 */
import { readFile, writeFile } from 'node:fs/promises';
import {
  ALL_ROOMS,
  NO_RECOVERY,
  type Signer,
  type Succession,
  type SuccessionClaims,
  joinSuccessions,
  makeSuccession,
  recoveryOf,
  signSuccession,
} from '@weft/core';
import { type AuthorityFile, mustReadAuthority, successionIn, writeAuthority } from '../../serving/authority-file.js';
import { heirIn, hexOf, keysNamed, rootsFor, rootsIn, scopeOf, signsFor } from '../../serving/root-keys.js';
import { type Terminal, UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';
import { authorityFlag, roomFlag, rootFlag } from './authority-flags.js';

const proposalFlag = {
  summary: 'File with a change of roots that is carried from one root to the next.',
  value: 'file',
} as const;

export const rotate = cliCommand({
  flags: {
    root: {
      ...rootFlag,
      isRequired: false,
      summary:
        'Key files of the roots until now, more than half of them, with commas between; with --proposal those that are here.',
    },
    recovery: {
      summary: 'In their place, the key file of the recovery, where a root is lost or stolen.',
      value: 'file',
    },
    'new-root': {
      summary:
        'Key file of the root from now on, made where there is none, or its public key where that lies elsewhere. Several with commas between.',
      value: 'file',
      isRequired: true,
    },
    'new-recovery': {
      summary: 'Key file of the next recovery, made where there is none, or its public key.',
      value: 'file',
    },
    to: { summary: 'Address that rooms move to, which the server of before tells everybody.', value: 'url' },
    room: roomFlag,
    proposal: {
      ...proposalFlag,
      summary:
        'Write the change into this file for other roots to sign, with weft authority sign, and leave the authority file as it is.',
    },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async (flags, terminal) => {
  const { root, recovery, room, to, proposal, authority, json } = flags;
  const file = await mustReadAuthority(authority);
  const { scope = ALL_ROOMS } = scopeOf(room);
  const before = await rootsFor(scope, file, authority);
  const signers =
    recovery === undefined ? await rootsHere(root, before, terminal) : [await heirIn(recovery, before, terminal)];
  if (recovery === undefined && proposal === undefined) expectMost(signers.length, before);
  const roots = await keysNamed(flags['new-root']!, terminal);
  const [next] = flags['new-recovery'] === undefined ? [] : await keysNamed(flags['new-recovery'], terminal);
  const heir = next === undefined ? (recovery === undefined ? before.recovery : undefined) : recoveryOf(next);
  const claims = {
    roots,
    serial: file.successions.length + 1,
    recovery: heir ?? NO_RECOVERY,
    scope,
    ...(to === undefined ? {} : { address: to }),
  };
  const succession = await makeSuccession(claims, signers);
  if (proposal !== undefined) {
    await writeFile(proposal, `${hexOf(succession)}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === 'EEXIST' ? 'it is there already; name another file' : error.message;
      throw new UsageError(`cannot write the proposal ${proposal}: ${why}`, { cause: error });
    });
    await sayProposal(succession, file, { proposal, authority, json }, terminal);
    return;
  }
  await writeAuthority(authority, withSuccession(file, succession, claims));
  sayRoots(claims.roots, heir, json, terminal);
});

export const sign = cliCommand({
  flags: {
    root: rootFlag,
    proposal: { ...proposalFlag, isRequired: true },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ root, proposal, authority, json }, terminal) => {
  const file = await mustReadAuthority(authority);
  let succession = await proposalIn(proposal!, file);
  const { scope } = await successionIn(hexOf(succession), proposal!);
  const signers = await rootsIn(root!, await rootsFor(scope, file, authority), terminal);
  for (const signer of signers) succession = await signSuccession(succession, signer);
  await writeFile(proposal!, `${hexOf(succession)}\n`);
  await sayProposal(succession, file, { proposal: proposal!, authority, json }, terminal);
});

export const adopt = cliCommand({
  flags: {
    proposal: {
      ...proposalFlag,
      isRequired: true,
      summary:
        'File with a change of roots that more than half of them have signed; several copies with commas between.',
    },
    authority: authorityFlag,
    json: jsonFlag,
  },
}).run(async ({ proposal, authority, json }, terminal) => {
  const file = await mustReadAuthority(authority);
  const copies = await Promise.all(proposal!.split(',').map((path) => proposalIn(path, file)));
  const succession = joined(copies);
  const claims = await successionIn(hexOf(succession), proposal!);
  if (isHandedOver(claims, file)) {
    await writeAuthority(authority, { ...file, successions: [...file.successions, hexOf(succession)] });
    terminal.err(
      `weft: rooms of ${claims.signers.join(', ')} are taken here; next: weft room restore, of their archives`,
    );
    return terminal.out(
      json ? JSON.stringify({ roots: file.roots }) : file.roots.map((key) => `root: ${key}`).join('\n'),
    );
  }
  const before = await rootsFor(claims.scope, file, authority);
  if (!signsFor(claims.signers, before))
    expectMost(claims.signers.filter((key) => before.roots.includes(key)).length, before);
  await writeAuthority(authority, withSuccession(file, succession, claims));
  const heir = claims.recovery === NO_RECOVERY ? undefined : claims.recovery;
  sayRoots(claims.roots, heir, json, terminal);
});

async function rootsHere(paths: string | undefined, file: AuthorityFile, terminal: Terminal): Promise<Signer[]> {
  if (paths !== undefined) return rootsIn(paths, file, terminal);
  throw new UsageError('--root names the key files of the roots until now, or --recovery that of the recovery');
}

function expectMost(agreeing: number, { roots }: AuthorityFile): void {
  if (agreeing * 2 > roots.length) return;
  throw new UsageError(
    `more than half of the ${roots.length} roots have to agree, and ${agreeing} have: name their key files with --root a.key,b.key, or have the others sign with --proposal and weft authority sign`,
  );
}

/** A proposal that follows what the authority file says, with signatures that hold. */
async function proposalIn(path: string, file: AuthorityFile): Promise<Uint8Array> {
  const text = (
    await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`cannot read the proposal ${path}: ${error.message}`, { cause: error });
    })
  ).trim();
  if (!/^([0-9a-f]{2})+$/.test(text))
    throw new UsageError(`${path} is no proposal: weft authority rotate --proposal makes one`);
  const succession = await successionIn(text, path);
  if (succession.serial !== file.successions.length + 1 && !isHandedOver(succession, file))
    throw new UsageError(
      `${path} is about other roots than the authority file names: fetch the same authority file for both, or propose the change anew`,
    );
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

/** Whether rooms of somebody else move to the roots of this file: the other rooms stay as they are. */
function isHandedOver({ roots, address }: Succession, file: AuthorityFile): boolean {
  return address !== '' && roots.every((key) => file.roots.includes(key));
}

function joined(copies: readonly Uint8Array[]): Uint8Array {
  try {
    return joinSuccessions(copies);
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError('these proposals do not say the same: carry copies of one', { cause: error });
    throw error;
  }
}

function withSuccession(
  file: AuthorityFile,
  succession: Uint8Array,
  { roots, recovery, scope = ALL_ROOMS }: Pick<SuccessionClaims, 'roots' | 'recovery' | 'scope'>,
): AuthorityFile {
  const { recovery: _, ...kept } = file;
  const successions = [...kept.successions, hexOf(succession)];
  // The other rooms stay with the roots that they have.
  if (scope !== ALL_ROOMS) return { ...file, successions };
  return { ...kept, successions, roots, ...(recovery === NO_RECOVERY ? {} : { recovery }) };
}

async function sayProposal(
  bytes: Uint8Array,
  file: AuthorityFile,
  { proposal, authority, json }: { readonly proposal: string; readonly authority: string; readonly json: boolean },
  terminal: Terminal,
): Promise<void> {
  const { roots, signers, address, scope } = await successionIn(hexOf(bytes), proposal);
  const before = await rootsFor(scope, file, authority);
  const agreed = signers.filter((key) => before.roots.includes(key)).length;
  const isEnough = signsFor(signers, before) || agreed * 2 > before.roots.length;
  if (json) return terminal.out(JSON.stringify({ roots, by: signers, address, enough: isEnough }));
  terminal.out(`${signers.join(', ')} → ${roots.join(', ')}${address === '' ? '' : `, at ${address}`}`);
  terminal.err(
    isEnough
      ? `weft: that is enough; next: weft authority adopt --proposal ${proposal} --authority ${authority}`
      : `weft: ${agreed} of ${before.roots.length} roots have signed; next, at another one: weft authority sign --root <file> --proposal ${proposal}`,
  );
}

function sayRoots(roots: readonly string[], recovery: string | undefined, json: boolean, terminal: Terminal): void {
  terminal.out(json ? JSON.stringify({ roots, recovery }) : roots.map((key) => `root: ${key}`).join('\n'));
  terminal.err(
    'weft: certify a new key of each server by the new root: weft authority request --new there, then weft authority certify',
  );
}
