/** Story of a room, written down node by node, by people whose keys follow from their names. */
import { type MandateClaims, type Matter, makeMandate } from '../access/mandate.js';
import { type SuccessionClaims, makeSuccession, recoveryOf } from '../access/succession.js';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { encodePack } from '../codec/packs/plain-pack.js';
import { type NodeId, type PublicKey, NO_ROOM } from '../graph/node.js';
import { sealMessage } from '../graph/seal.js';
import { type Node, identify, packNode, tableOf } from '../graph/testing/nodes.js';
import type { Signer } from '../ports/crypto.js';

export const signerOf = (name: string): Signer => defaultCrypto.signer(sha256(toUtf8(name)));
export const keyOf = (name: string): PublicKey => signerOf(name).publicKey as PublicKey;

export interface Told {
  readonly by: string;
  readonly set?: readonly (readonly [key: string, value: unknown])[];
  /** Name of the node before on the author's chain: the author's last one if not said, null for none. */
  readonly prev?: string | null;
  /** Names of what it stands on beside that; the genesis where it begins a chain. */
  readonly on?: readonly string[];
}

export interface Beginning {
  readonly by: string;
  readonly authorities: readonly string[];
  readonly founding?: Uint8Array;
  /** Whose key may do what is done once. */
  readonly recovery?: string;
}

export class Story {
  readonly #nodes = new Map<string, Node & { readonly by: string }>();
  readonly #tips = new Map<string, string>();

  constructor({ by, authorities, founding, recovery }: Beginning) {
    const says = { room: 'room', authorities: authorities.map(keyOf), nonce: '00'.repeat(16) };
    const founded = founding ? { ...says, founding } : says;
    const value = encodeValue(recovery === undefined ? founded : { ...founded, recovery: recoveryOf(keyOf(recovery)) });
    const ops = [{ kind: 'set', key: '\0genesis', value }] as const;
    this.#nodes.set('genesis', { ...identify({ room: NO_ROOM, author: keyOf(by), parents: [], ops }), by });
  }

  id(name: string): NodeId {
    return this.#nodes.get(name)!.id;
  }

  tell(name: string, told: Told): void {
    const { by, set = [['a', name]], prev = this.#tips.get(by) ?? null } = told;
    const ops = set.map(([key, value]) => ({ kind: 'set' as const, key, value: encodeValue(value) }));
    const parents = (told.on ?? (prev === null ? ['genesis'] : [])).map((parent) => this.id(parent)).sort();
    const links = prev === null ? { parents } : { prev: this.id(prev), parents };
    const node = identify({ room: this.id('genesis'), author: keyOf(by), ...links, ops });
    this.#nodes.set(name, { ...node, by });
    this.#tips.set(by, name);
  }

  /** These nodes, each sealed. */
  async pack(names: readonly string[]): Promise<Uint8Array> {
    const nodes = names.map((name) => this.#nodes.get(name)!);
    const table = tableOf(nodes);
    const sealed = nodes.map(async ({ by }, index) => ({
      index,
      signature: await signerOf(by).sign(sealMessage(table, index)),
    }));
    return encodePack({ nodes: nodes.map((node) => packNode(node)), seals: await Promise.all(sealed) });
  }
}

/** A mandate, by the names of people. */
export function mandate(
  matter: Matter,
  giver: string,
  key: string,
  claims: Omit<MandateClaims, 'key'> = {},
): Promise<Uint8Array> {
  return makeMandate(matter, { key: keyOf(key), ...claims }, signerOf(giver));
}

/** A succession, by the names of people; `recovery` names whose key is to be asked next. */
export function succession(
  roots: readonly string[],
  signers: readonly string[],
  { recovery, ...claims }: Omit<SuccessionClaims, 'roots'> = {},
): Promise<Uint8Array> {
  const said = { roots: roots.map(keyOf), ...claims };
  const given = recovery === undefined ? said : { ...said, recovery: recoveryOf(keyOf(recovery)) };
  return makeSuccession(given, signers.map(signerOf));
}
