/** Cases of who speaks for a room, and whose nodes are whose: the vectors of `conformance/authority` are made of these. */
import type { AuthorityCase } from './authority-case.js';
import { rootsCases } from './roots-cases.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import { Story, keyOf, mandate } from '../story.js';

const signer = (key: string): string => `\0signer/${keyOf(key)}`;
const signerRevoked = (key: string): string => `\0signer-revoked/${keyOf(key)}`;
const delegate = (key: string): string => `\0delegate/${keyOf(key)}`;
const only = (...names: string[]) => ({ default: 'deny', rules: [{ path_glob: 'a', can_write: names.map(keyOf) }] });

/** A room with one root, and a process that it has certified. */
async function certified(): Promise<Story> {
  const story = new Story({ by: 'root', authorities: ['root'] });
  story.tell('certificate', { by: 'process', set: [[signer('process'), await mandate('signer', 'root', 'process')]] });
  return story;
}

async function signers(): Promise<AuthorityCase[]> {
  const plain = new Story({ by: 'root', authorities: ['root'] });
  plain.tell('law', { by: 'root', set: [[POLICY_KEY, only('ann')]] });
  plain.tell('stranger', { by: 'eve', set: [[POLICY_KEY, only('eve')]], on: ['law'] });

  const founded = new Story({
    by: 'founder',
    authorities: ['root', 'second'],
    founding: await mandate('founder', 'second', 'founder'),
  });
  founded.tell('certificate', {
    by: 'process',
    set: [[signer('process'), await mandate('signer', 'root', 'process')]],
  });
  founded.tell('law', { by: 'process', set: [[POLICY_KEY, only('ann')]] });
  founded.tell('founder', { by: 'founder', set: [[POLICY_KEY, only('eve')]], on: ['law'] });

  const used = await certified();
  used.tell('law', { by: 'process', set: [[POLICY_KEY, only('ann')]] });
  used.tell('denied', { by: 'eve', set: [['a', 1]], on: ['law'] });
  used.tell('free', { by: 'process', set: [['b', 1]] });

  const early = await certified();
  early.tell('unsaid', { by: 'process', prev: null, set: [[POLICY_KEY, only('ann')]] });

  const revocation = await mandate('signer-revoked', 'root', 'process');
  const before = await certified();
  before.tell('revoked', { by: 'root', set: [[signerRevoked('process'), revocation]], on: ['certificate'] });
  before.tell('late', { by: 'process', set: [[POLICY_KEY, only('eve')]], on: ['revoked'] });

  const after = await certified();
  after.tell('law', { by: 'process', set: [[POLICY_KEY, only('ann')]] });
  after.tell('revoked', { by: 'root', set: [[signerRevoked('process'), revocation]], on: ['law'] });
  after.tell('denied', { by: 'eve', on: ['revoked'] });

  const beside = await certified();
  beside.tell('revoked', { by: 'root', set: [[signerRevoked('process'), revocation]], on: ['certificate'] });
  beside.tell('law', { by: 'process', set: [[POLICY_KEY, only('ann')]] });

  const carried = await certified();
  carried.tell('second', { by: 'other', set: [[signer('other'), await mandate('signer', 'root', 'other')]] });
  carried.tell('revoked', { by: 'other', set: [[signerRevoked('process'), revocation]], on: ['certificate'] });
  carried.tell('late', { by: 'process', set: [['\0lock', { key: keyOf('eve'), by: 'eve' }]], on: ['revoked'] });

  const forged = new Story({ by: 'root', authorities: ['root'] });
  forged.tell('self', { by: 'eve', set: [[signer('eve'), await mandate('signer', 'eve', 'eve')]] });
  forged.tell('stolen', { by: 'mallory', set: [[signer('process'), await mandate('signer', 'root', 'process')]] });
  const forging = await mandate('signer', 'root', 'process');
  forging[100] = 7;
  forged.tell('changed', { by: 'process', set: [[signer('process'), forging]] });
  const other = await mandate('delegate', 'root', 'trent');
  forged.tell('other matter', { by: 'trent', set: [[signer('trent'), other]] });
  const elsewhere = await mandate('signer', 'root', 'olga', { scope: 'ab'.repeat(32) });
  forged.tell('other room', { by: 'olga', set: [[signer('olga'), elsewhere]] });
  const mixed = await mandate('signer', 'root', 'peggy');
  forged.tell('mixed', {
    by: 'peggy',
    set: [
      [signer('peggy'), mixed],
      ['\0lock', { key: keyOf('eve'), by: 'eve' }],
    ],
  });
  forged.tell('first', { by: 'victor' });
  forged.tell('second', { by: 'victor', set: [[signer('victor'), await mandate('signer', 'root', 'victor')]] });
  const lone = await mandate('signer-revoked', 'root', 'process');
  forged.tell('revoker', { by: 'walter', set: [[signerRevoked('process'), lone]] });
  forged.tell('by whom', {
    by: 'root',
    set: [[signerRevoked('process'), await mandate('signer-revoked', 'eve', 'process')]],
  });

  return [
    {
      name: 'one-root',
      rule: 'AD5',
      title: 'a room with one root, as ever',
      story: plain,
      steps: [{ nodes: ['law', 'stranger'], refused: { stranger: 'foreign-system-key' } }],
    },
    {
      name: 'founded',
      rule: 'GN1',
      title: 'a genesis by a key that a root lets begin rooms: that key has no say afterwards',
      story: founded,
      steps: [{ nodes: ['certificate', 'law', 'founder'], refused: { founder: 'foreign-system-key' } }],
    },
    {
      name: 'signer-used',
      rule: 'MA3',
      title: 'a certified key speaks for the room, and writes everywhere',
      story: used,
      steps: [{ nodes: ['certificate', 'law', 'denied', 'free'], refused: { denied: 'policy-denied' } }],
    },
    {
      name: 'signer-unsaid',
      rule: 'MA3',
      title: 'a node of a certified key that stands beside its certificate is a stranger’s',
      story: early,
      steps: [{ nodes: ['certificate', 'unsaid'], refused: { unsaid: 'foreign-system-key' } }],
    },
    {
      name: 'revoked-before',
      rule: 'MA3',
      title: 'a node that knows of the revocation counts for nothing',
      story: before,
      steps: [{ nodes: ['certificate', 'revoked', 'late'], refused: { late: 'foreign-system-key' } }],
    },
    {
      name: 'revoked-after',
      rule: 'MA3',
      title: 'what a key did before it was revoked stays',
      story: after,
      steps: [{ nodes: ['certificate', 'law', 'revoked', 'denied'], refused: { denied: 'policy-denied' } }],
    },
    {
      name: 'revoked-beside',
      rule: 'MA3',
      title: 'a node that does not know of the revocation counts, but a server takes none from then on',
      story: beside,
      steps: [{ nodes: ['certificate', 'revoked'] }, { nodes: ['law'], byServer: { law: 'signer-revoked' } }],
    },
    {
      name: 'revoked-by-signer',
      rule: 'MA2',
      title: 'the word of a root is carried by another key that speaks for the room',
      story: carried,
      steps: [{ nodes: ['certificate', 'second', 'revoked', 'late'], refused: { late: 'foreign-system-key' } }],
    },
    {
      name: 'signers-forged',
      rule: 'MA2',
      title: 'who is not certified, or not so, is nobody',
      story: forged,
      steps: [
        { nodes: ['self'], refused: { self: 'bad-mandate' } },
        { nodes: ['stolen'], refused: { stolen: 'bad-mandate' } },
        { nodes: ['changed'], refused: { changed: 'bad-mandate' } },
        { nodes: ['other matter'], refused: { 'other matter': 'bad-mandate' } },
        { nodes: ['other room'], refused: { 'other room': 'bad-mandate' } },
        { nodes: ['mixed'], refused: { mixed: 'bad-mandate' } },
        { nodes: ['first', 'second'], refused: { second: 'bad-mandate' } },
        { nodes: ['revoker'], refused: { revoker: 'foreign-system-key' } },
        { nodes: ['by whom'], refused: { 'by whom': 'bad-mandate' } },
      ],
    },
  ];
}

/** A room whose policy lets a subject write. */
async function governed(who = 'subject'): Promise<Story> {
  const story = new Story({ by: 'root', authorities: ['root'] });
  story.tell('law', { by: 'root', set: [[POLICY_KEY, only(who)]] });
  return story;
}

async function subjects(): Promise<AuthorityCase[]> {
  const used = await governed();
  used.tell('phone', {
    by: 'phone',
    set: [[delegate('phone'), await mandate('delegate', 'subject', 'phone')]],
    on: ['law'],
  });
  used.tell('written', { by: 'phone' });
  used.tell('elsewhere', { by: 'phone', set: [['b', 1]] });
  used.tell('stranger', { by: 'eve', on: ['law'] });

  const passed = await governed();
  passed.tell('phone', {
    by: 'phone',
    set: [[delegate('phone'), await mandate('delegate', 'subject', 'phone')]],
    on: ['law'],
  });
  passed.tell('friend', {
    by: 'friend',
    set: [[delegate('friend'), await mandate('delegate', 'phone', 'friend')]],
    on: ['phone'],
  });
  passed.tell('written', { by: 'friend' });

  const until = await governed();
  const limited = await mandate('delegate', 'subject', 'phone', { until: 4 });
  until.tell('phone', { by: 'phone', set: [[delegate('phone'), limited]], on: ['law'] });
  until.tell('in time', { by: 'phone' });
  until.tell('too late', { by: 'phone' });

  const revoked = await governed();
  revoked.tell('phone', {
    by: 'phone',
    set: [[delegate('phone'), await mandate('delegate', 'subject', 'phone')]],
    on: ['law'],
  });
  revoked.tell('written', { by: 'phone' });
  revoked.tell('taken back', {
    by: 'root',
    set: [[`\0subject-revoked/${keyOf('subject')}`, { by: 'root' }]],
    on: ['written'],
  });
  revoked.tell('late', { by: 'phone', on: ['taken back'] });
  revoked.tell('beside', { by: 'phone', prev: 'written', set: [['a', 2]] });

  const one = await governed();
  const lost = await mandate('delegate-revoked', 'subject', 'phone');
  one.tell('phone', {
    by: 'phone',
    set: [[delegate('phone'), await mandate('delegate', 'subject', 'phone')]],
    on: ['law'],
  });
  one.tell('tablet', {
    by: 'tablet',
    set: [[delegate('tablet'), await mandate('delegate', 'subject', 'tablet')]],
    on: ['law'],
  });
  one.tell('lost', { by: 'root', set: [[`\0delegate-revoked/${keyOf('phone')}`, lost]], on: ['phone', 'tablet'] });
  one.tell('late', { by: 'phone', on: ['lost'] });
  one.tell('written', { by: 'tablet', on: ['lost'] });
  one.tell('by itself', { by: 'tablet', set: [[`\0delegate-revoked/${keyOf('phone')}`, lost]] });

  const forged = await governed();
  forged.tell('other', { by: 'eve', set: [[delegate('eve'), await mandate('signer', 'subject', 'eve')]], on: ['law'] });
  forged.tell('stolen', {
    by: 'mallory',
    set: [[delegate('phone'), await mandate('delegate', 'subject', 'phone')]],
    on: ['law'],
  });
  const there = await mandate('delegate', 'subject', 'olga', { scope: 'cd'.repeat(32) });
  forged.tell('other room', { by: 'olga', set: [[delegate('olga'), there]], on: ['law'] });
  const rule = [`\0subject-revoked/${keyOf('subject')}`, { by: 'victor' }] as const;
  forged.tell('revoker', { by: 'victor', set: [rule], on: ['law'] });

  return [
    {
      name: 'delegation-used',
      rule: 'SU2',
      title: 'a key that a subject has taken for its own writes where the subject may, and nowhere else',
      story: used,
      steps: [
        { nodes: ['law', 'phone', 'written', 'stranger'], refused: { stranger: 'policy-denied' } },
        { nodes: ['elsewhere'], refused: { elsewhere: 'policy-denied' } },
      ],
    },
    {
      name: 'delegation-passed-on',
      rule: 'SU1',
      title: 'a key that a subject has taken gives nobody anything',
      story: passed,
      steps: [{ nodes: ['law', 'phone', 'friend', 'written'], refused: { written: 'policy-denied' } }],
    },
    {
      name: 'delegation-until',
      rule: 'SU1',
      title: 'a delegation ends with the lamport that it names',
      story: until,
      steps: [{ nodes: ['law', 'phone', 'in time', 'too late'], refused: { 'too late': 'policy-denied' } }],
    },
    {
      name: 'subject-revoked',
      rule: 'SU1',
      title: 'a subject that is revoked has no keys for who knows of it; a server takes none of them any more',
      story: revoked,
      steps: [
        { nodes: ['law', 'phone', 'written', 'taken back', 'late'], refused: { late: 'policy-denied' } },
        { nodes: ['beside'], byServer: { beside: 'policy-changed' } },
      ],
    },
    {
      name: 'delegation-revoked',
      rule: 'SU1',
      title: 'a subject takes back one key, by the hand of who speaks for the room',
      story: one,
      steps: [
        { nodes: ['law', 'phone', 'tablet', 'lost', 'late', 'written'], refused: { late: 'policy-denied' } },
        { nodes: ['by itself'], refused: { 'by itself': 'foreign-system-key' } },
      ],
    },
    {
      name: 'delegations-forged',
      rule: 'MA2',
      title: 'whom no subject has taken is himself',
      story: forged,
      steps: [
        { nodes: ['law'] },
        { nodes: ['other'], refused: { other: 'bad-mandate' } },
        { nodes: ['stolen'], refused: { stolen: 'bad-mandate' } },
        { nodes: ['other room'], refused: { 'other room': 'bad-mandate' } },
        { nodes: ['revoker'], refused: { revoker: 'foreign-system-key' } },
      ],
    },
  ];
}

export async function authorityCases(): Promise<AuthorityCase[]> {
  return [...(await signers()), ...(await subjects()), ...(await rootsCases())];
}
