/**
 * Hostile words: what a key may claim to be without being it, by the structure of what is signed and not by changed bytes alone.
 * Certificates, delegations, what takes them back, and changes of roots, each with nodes behind it that would use what is claimed.
 */
import {
  type KeyPair,
  type Matter,
  type Room,
  type Signer,
  createReplica,
  defaultCrypto,
  fromHex,
  generateKeys,
  makeMandate,
  makeSuccession,
  readMandate,
  toBase64,
  toHex,
} from '@weft/core';

type Writes = Readonly<Record<string, unknown>>;

/** Whose words an adversary has come by: true ones too, about others, of another time, or for another room. */
export interface Heard {
  readonly room: Room;
  readonly root: Signer;
  readonly person: Signer;
  /** Key of the process that speaks for the room. */
  readonly speaker: string;
  /** Keys of a process, and of a device of the person: both were good and are taken back. */
  readonly stolen: KeyPair;
  readonly lost: KeyPair;
}

/** Key, with what it shows in a hello, in hex. */
export interface Shown extends KeyPair {
  readonly delegation: string;
}

export interface HostileWords {
  /** In base64. */
  readonly packs: readonly string[];
  readonly shown: readonly Shown[];
  /** All keys by which it writes. */
  readonly keys: readonly string[];
}

/** Key of the person's own part of a room. */
export const PERSONAL = 'people/title';
const MOST = Number.MAX_SAFE_INTEGER;

const signerOf = ({ seed }: KeyPair): Signer => defaultCrypto.signer(fromHex(seed));

export async function hostileWords(heard: Heard): Promise<HostileWords> {
  const { room, root, person, speaker, stolen, lost } = heard;
  const [own, other] = [generateKeys(), generateKeys()];
  const keys = new Set([own.publicKey, other.publicKey, stolen.publicKey, lost.publicKey]);
  const packs: string[] = [];
  const shown: Shown[] = [];
  const laws = { default: 'allow', rules: [{ path_glob: '**', can_write: [own.publicKey] }] };
  const uses: readonly Writes[] = [
    { [PERSONAL]: 'by the adversary' },
    { '\0policy': laws },
    { '\0lock': { key: own.publicKey, by: own.publicKey } },
  ];
  /** Nodes of a key, one for each of these, on what the room has or on its genesis alone. */
  const write = async (by: KeyPair, nodes: readonly Writes[], knowsAll = false): Promise<void> => {
    const replica = await createReplica({ genesis: room.genesis.pack, keys: { ...by } });
    if (knowsAll) for await (const pack of room.attestedPacks()) await replica.receive(pack);
    for (const node of nodes)
      replica.batch(() => {
        for (const [key, value] of Object.entries(node)) replica.set(key, value);
      });
    packs.push(toBase64((await replica.seal())!));
  };
  const claim = async (by: KeyPair, matter: 'signer' | 'delegate', bytes: Uint8Array, named = by.publicKey) => {
    await write(by, [{ [`\0${matter}/${named}`]: bytes }, ...uses]);
    if (matter === 'delegate') shown.push({ ...by, delegation: toHex(bytes) });
  };
  const fresh = (): KeyPair => {
    const made = generateKeys();
    keys.add(made.publicKey);
    return made;
  };

  for (const [matter, giver, opposite] of [
    ['signer', root, 'delegate'],
    ['delegate', person, 'signer'],
  ] as const) {
    const say = (to: KeyPair, by = giver, claims = {}, as: Matter = matter): Promise<Uint8Array> =>
      makeMandate(as, { key: to.publicKey, ...claims }, by);
    const claimed = async (make: (to: KeyPair) => Promise<Uint8Array>): Promise<void> => {
      const to = fresh();
      await claim(to, matter, await make(to));
    };
    await claimed((to) => say(to, giver, { until: 1 })); // run out
    await claimed((to) => say(to, giver, { scope: 'ab'.repeat(32) })); // for another room
    await claimed((to) => say(to, giver, { scope: room.genesis.id, until: 1, serial: MOST }));
    await claimed((to) => say(to, giver, {}, opposite));
    await claimed((to) => say(to, giver, {}, 'founder'));
    await claimed((to) => say(to, giver, {}, `${matter}-revoked`));
    await claimed((to) => say(to, signerOf(to), { until: MOST })); // by itself
    await claimed((to) => say(to, signerOf(stolen)));
    await claimed((to) => say(to, signerOf(lost)));
    await claimed(() => say(other)); // a good one, of somebody else
    await claimed(async (to) => widened(await say(to, giver, { until: 1 })));
    await claimed(async (to) => widened(await say(to, giver, { scope: 'ab'.repeat(32) })));
    await claimed(async (to) => inTheNameOf(giver, await say(to, signerOf(to))));
    await claimed(async (to) => twice(await say(to)));
    await claimed(async (to) => (await say(to)).slice(0, -1));
    await claimed(async () => new Uint8Array(1 << 18).fill(7));
    // Good ones under a name or in a place that they are not for.
    await claim(own, matter, await say(other), other.publicKey);
    const [late, mixed] = [fresh(), fresh()];
    await write(late, [{ 'docs/own/first': 1 }, { [`\0${matter}/${late.publicKey}`]: await say(late) }, ...uses]);
    await write(mixed, [{ [`\0${matter}/${mixed.publicKey}`]: await say(mixed), ...uses[0] }, ...uses]);
    // Two that take each other, and one behind them.
    const [one, two, three] = [fresh(), fresh(), fresh()];
    await claim(one, matter, await say(one, signerOf(two)));
    await claim(two, matter, await say(two, signerOf(one)));
    await claim(three, matter, await say(three, signerOf(one)));
  }

  // What was good once, by who knows that it is taken back, and by who acts as if he did not.
  for (const [matter, giver, by] of [
    ['signer', root, stolen],
    ['delegate', person, lost],
  ] as const) {
    for (const use of uses) await write(by, [use], true);
    await claim(by, matter, await makeMandate(matter, { key: by.publicKey }, giver));
    await claim(by, matter, await makeMandate(matter, { key: by.publicKey, scope: room.genesis.id, serial: 9 }, giver));
    await write(
      by,
      [{ [`\0${matter}/${by.publicKey}`]: await makeMandate(matter, { key: by.publicKey }, giver) }],
      true,
    );
  }

  // What takes back: by those who may not, and the true word of a root in the mouth of somebody who speaks for nobody.
  for (const giver of [signerOf(own), signerOf(stolen), signerOf(lost), person, root])
    for (const matter of ['signer', 'delegate'] as const) {
      const word = await makeMandate(`${matter}-revoked`, { key: speaker }, giver);
      for (const by of [own, stolen, lost])
        await write(by, [{ [`\0${matter}-revoked/${speaker}`]: word }, ...uses], by !== own);
    }
  for (const by of [own, stolen, lost]) await write(by, [{ [`\0subject-revoked/${person.publicKey}`]: true }], true);

  // Other roots: by nobody, by who speaks no more, for another room; with a number that is greater than all, and an address.
  const claims = { roots: [own.publicKey], serial: MOST, address: 'wss://elsewhere.example/ws/room' };
  const changes = [
    await makeSuccession(claims, [signerOf(own)]),
    await makeSuccession(claims, [signerOf(stolen), person, signerOf(lost)]),
    await makeSuccession({ ...claims, scope: 'ab'.repeat(32) }, [root]),
    await makeSuccession({ ...claims, recovery: 'cd'.repeat(32) }, [signerOf(own), signerOf(other)]),
    await makeSuccession({ roots: Array.from({ length: 8 }, () => fresh().publicKey) }, [signerOf(own)]),
  ];
  for (const change of [...changes, new Uint8Array(1 << 18)])
    for (const by of [own, stolen, lost]) {
      const certificate = await makeMandate('signer', { key: by.publicKey }, signerOf(own));
      await write(by, [{ '\0roots': change }, ...uses], by !== own);
      await write(by, [{ '\0roots': change, [`\0signer/${by.publicKey}`]: certificate }, ...uses]);
    }
  return { packs, shown, keys: [...keys] };
}

/** For good and everywhere, under the signature for less. */
function widened(bytes: Uint8Array): Uint8Array {
  const { length } = readMandate(bytes).signature;
  const changed = bytes.slice();
  return changed.fill(0, 64, changed.length - length);
}

function inTheNameOf({ publicKey }: Signer, bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  changed.set(fromHex(publicKey));
  return changed;
}

function twice(bytes: Uint8Array): Uint8Array {
  return new Uint8Array([...bytes, ...bytes]);
}
