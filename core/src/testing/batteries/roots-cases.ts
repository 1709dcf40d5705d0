/** Cases of who the roots of a room are: rotated, lost, stolen, moved. Part of the vectors of `conformance/authority`. */
import { POLICY_KEY } from '../../crdt/system-keys.js';
import type { AuthorityCase } from './authority-case.js';
import { Story, keyOf, mandate, succession } from '../story.js';

const ROOTS = '\0roots';
const signer = (key: string): string => `\0signer/${keyOf(key)}`;
const only = (...names: string[]) => ({ default: 'deny', rules: [{ path_glob: 'a', can_write: names.map(keyOf) }] });
const law = (...names: string[]) => [[POLICY_KEY, only(...names)]] as const;

/** A room of one root and a process that it has certified, whose heir may be asked when the root is lost. */
async function begun(recovery?: string): Promise<Story> {
  const beginning = { by: 'root', authorities: ['root'] };
  const story = new Story(recovery === undefined ? beginning : { ...beginning, recovery });
  story.tell('certificate', { by: 'process', set: [[signer('process'), await mandate('signer', 'root', 'process')]] });
  return story;
}

async function introduces(key: string, root: string) {
  return [signer(key), await mandate('signer', root, key)] as const;
}

async function rotations(): Promise<AuthorityCase[]> {
  const rotated = await begun();
  rotated.tell('rotated', {
    by: 'process',
    set: [[ROOTS, await succession(['next'], ['root'])]],
  });
  rotated.tell('new', { by: 'other', set: [await introduces('other', 'next')], on: ['rotated'] });
  rotated.tell('law', { by: 'other', set: law('ann') });
  rotated.tell('root itself', { by: 'next', set: law('bob'), on: ['law'] });
  rotated.tell('old process', { by: 'process', set: law('eve'), on: ['law'] });
  rotated.tell('old root', { by: 'root', set: law('eve'), on: ['rotated'] });
  rotated.tell('old certificate', { by: 'mallory', set: [await introduces('mallory', 'root')], on: ['rotated'] });

  const carried = await begun();
  carried.tell('carried', {
    by: 'other',
    set: [[ROOTS, await succession(['next'], ['root'])], await introduces('other', 'next')],
    on: ['certificate'],
  });
  carried.tell('law', { by: 'other', set: law('ann') });
  carried.tell('denied', { by: 'eve', on: ['law'] });

  const beside = await begun();
  beside.tell('rotated', { by: 'process', set: [[ROOTS, await succession(['next'], ['root'])]] });
  beside.tell('law', { by: 'process', prev: 'certificate', set: law('eve') });
  beside.tell('by root', { by: 'root', set: law('eve') });

  const late = await begun();
  late.tell('rotated', { by: 'process', set: [[ROOTS, await succession(['next'], ['root'])]] });
  const stolen = await succession(['thief'], ['root'], { serial: 9 });
  late.tell('thief', {
    by: 'mallory',
    set: [[ROOTS, stolen], await introduces('mallory', 'thief')],
    on: ['certificate'],
  });

  const serial = { serial: 2 };
  const torn = await begun();
  torn.tell('first', { by: 'process', set: [[ROOTS, await succession(['next'], ['root'])]] });
  torn.tell('second', {
    by: 'process',
    prev: 'certificate',
    set: [[ROOTS, await succession(['thief'], ['root'], serial)]],
  });
  torn.tell('winner', { by: 'thief', set: law('ann'), on: ['first', 'second'] });
  torn.tell('loser', { by: 'next', set: law('eve'), on: ['first', 'second'] });
  torn.tell('loser alone', { by: 'next', prev: null, set: law('eve'), on: ['first'] });

  const twice = await begun();
  const there = await succession(['next'], ['root']);
  twice.tell('there', { by: 'process', set: [[ROOTS, there]] });
  twice.tell('back', { by: 'next', set: [[ROOTS, await succession(['root'], ['next'])]], on: ['there'] });
  twice.tell('again', { by: 'root', set: [[ROOTS, there]], on: ['back'] });
  twice.tell('law', { by: 'root', prev: null, set: law('ann'), on: ['back'] });

  const several = new Story({ by: 'a', authorities: ['a', 'b', 'c'] });
  several.tell('alone', { by: 'a', set: [[ROOTS, await succession(['eve'], ['a'])]] });
  several.tell('most', { by: 'b', set: [[ROOTS, await succession(['next'], ['a', 'c'])]], on: ['genesis'] });
  several.tell('left out', { by: 'b', set: law('eve') });

  return [
    {
      name: 'roots-rotated',
      rule: 'MA6',
      title: 'new roots certify processes, and what the old ones have certified speaks no more',
      story: rotated,
      steps: [
        { nodes: ['certificate', 'rotated', 'new', 'law', 'root itself'] },
        { nodes: ['old process'], refused: { 'old process': 'foreign-system-key' } },
        { nodes: ['old root'], refused: { 'old root': 'foreign-system-key' } },
        { nodes: ['old certificate'], refused: { 'old certificate': 'bad-mandate' } },
      ],
    },
    {
      name: 'roots-carried',
      rule: 'MA6',
      title: 'who is certified by the new roots brings their succession with his introduction',
      story: carried,
      steps: [{ nodes: ['certificate', 'carried', 'law', 'denied'], refused: { denied: 'policy-denied' } }],
    },
    {
      name: 'roots-beside',
      rule: 'MA6',
      title: 'what does not know of the change counts, but a server takes none of it from then on',
      story: beside,
      steps: [
        { nodes: ['certificate', 'rotated'] },
        { nodes: ['law'], byServer: { law: 'authority-superseded' } },
        { nodes: ['by root'], byServer: { 'by root': 'authority-superseded' } },
      ],
    },
    {
      name: 'roots-late',
      rule: 'MA6',
      title: 'a server takes no succession of former roots, whatever its serial',
      story: late,
      steps: [{ nodes: ['certificate', 'rotated'] }, { nodes: ['thief'], byServer: { thief: 'authority-superseded' } }],
    },
    {
      name: 'roots-concurrent',
      rule: 'MA6',
      title: 'of two successions that do not know of each other the greater serial counts, whatever comes first',
      story: torn,
      steps: [
        {
          nodes: ['certificate', 'first', 'second'],
          byServer: { second: 'authority-superseded' },
        },
        { nodes: ['winner'], byServer: { winner: 'missing-parent' } },
        { nodes: ['loser'], refused: { loser: 'foreign-system-key' }, byServer: { loser: 'missing-parent' } },
        { nodes: ['loser alone'] },
      ],
    },
    {
      name: 'roots-repeated',
      rule: 'MA6',
      title: 'a succession counts once',
      story: twice,
      steps: [
        { nodes: ['certificate', 'there', 'back'] },
        { nodes: ['again'], refused: { again: 'bad-mandate' } },
        { nodes: ['law'] },
      ],
    },
    {
      name: 'roots-majority',
      rule: 'MA6',
      title: 'most of several roots have to agree',
      story: several,
      steps: [
        { nodes: ['alone'], refused: { alone: 'bad-mandate' } },
        { nodes: ['most', 'left out'], refused: { 'left out': 'foreign-system-key' } },
      ],
    },
  ];
}

async function recoveries(): Promise<AuthorityCase[]> {
  const stolen = await begun('heir');
  stolen.tell('theft', {
    by: 'root',
    set: [[ROOTS, await succession(['thief'], ['root'], { serial: 9, recovery: 'thief' })]],
  });
  stolen.tell('by thief', { by: 'thief', set: law('eve'), on: ['theft'] });
  stolen.tell('recovered', {
    by: 'other',
    set: [
      [ROOTS, await succession(['next'], ['heir'], { recovery: 'second heir' })],
      await introduces('other', 'next'),
    ],
    on: ['by thief'],
  });
  stolen.tell('law', { by: 'other', set: law('ann') });
  stolen.tell('late', { by: 'thief', set: law('eve'), on: ['recovered'] });
  stolen.tell('heir again', {
    by: 'other',
    set: [[ROOTS, await succession(['heir'], ['heir'], { serial: 1 })]],
    prev: 'law',
  });
  stolen.tell('second heir', {
    by: 'other',
    set: [[ROOTS, await succession(['last'], ['second heir'])]],
    prev: 'law',
  });

  const raced = await begun('heir');
  raced.tell('theft', { by: 'root', set: [[ROOTS, await succession(['thief'], ['root'], { serial: 9 })]] });
  raced.tell('recovered', {
    by: 'other',
    set: [[ROOTS, await succession(['next'], ['heir'])], await introduces('other', 'next')],
    on: ['certificate'],
  });
  raced.tell('thief', { by: 'thief', set: law('eve'), on: ['theft', 'recovered'] });
  raced.tell('next', { by: 'next', set: law('ann'), on: ['theft', 'recovered'] });

  const forged = await begun();
  const changed = await succession(['eve'], ['root']);
  changed[80] = 7;
  forged.tell('changed', { by: 'process', set: [[ROOTS, changed]] });
  forged.tell('nobody', { by: 'process', prev: 'certificate', set: [[ROOTS, await succession(['eve'], ['eve'])]] });
  const elsewhere = await succession(['eve'], ['root'], { scope: 'ab'.repeat(32) });
  forged.tell('other room', { by: 'process', prev: 'certificate', set: [[ROOTS, elsewhere]] });
  const right = await succession(['next'], ['root']);
  forged.tell('mixed', {
    by: 'process',
    prev: 'certificate',
    set: [
      [ROOTS, right],
      ['\0lock', { key: keyOf('eve'), by: 'eve' }],
    ],
  });
  forged.tell('stranger', { by: 'eve', set: [[ROOTS, right]] });
  forged.tell('text', { by: 'process', prev: 'certificate', set: [[ROOTS, 'next']] });
  forged.tell('uncertified', { by: 'victor', set: [[ROOTS, right], await introduces('victor', 'root')] });

  const moved = await begun();
  const address = 'wss://new.example/ws/room';
  moved.tell('moved', { by: 'process', set: [[ROOTS, await succession(['next'], ['root'], { address })]] });
  moved.tell('new', { by: 'other', set: [await introduces('other', 'next')], on: ['moved'] });
  moved.tell('ann', { by: 'ann', on: ['moved'] });

  return [
    {
      name: 'roots-recovered',
      rule: 'MA6',
      title:
        'the recovery key takes a room back from who has stolen its root, once, and who has that names no other one',
      story: stolen,
      steps: [
        { nodes: ['certificate', 'theft', 'by thief', 'recovered', 'law'] },
        { nodes: ['late'], refused: { late: 'foreign-system-key' } },
        { nodes: ['heir again'], refused: { 'heir again': 'bad-mandate' } },
        { nodes: ['second heir'] },
      ],
    },
    {
      name: 'roots-recovery-first',
      rule: 'MA6',
      title: 'a recovery outranks whatever roots say beside it',
      story: raced,
      steps: [
        { nodes: ['certificate', 'theft', 'recovered'], refused: {}, byServer: {} },
        { nodes: ['thief'], refused: { thief: 'foreign-system-key' } },
        { nodes: ['next'] },
      ],
    },
    {
      name: 'roots-forged',
      rule: 'MA6',
      title: 'what most of the roots have not signed, or stands where it may not, changes nothing',
      story: forged,
      steps: [
        { nodes: ['certificate'] },
        ...['changed', 'nobody', 'other room', 'mixed', 'stranger', 'text', 'uncertified'].map((name) => ({
          nodes: [name],
          refused: { [name]: 'bad-mandate' },
        })),
      ],
    },
    {
      name: 'roots-moved',
      rule: 'MA6',
      title: 'a succession may say where the room is from now on: replicas go on as before',
      story: moved,
      steps: [{ nodes: ['certificate', 'moved', 'new', 'ann'] }],
    },
  ];
}

export async function rootsCases(): Promise<AuthorityCase[]> {
  return [...(await rotations()), ...(await recoveries())];
}
