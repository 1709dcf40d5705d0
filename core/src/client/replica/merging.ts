/** Merge of nodes into a replica: judged by the admission of a server, and part of the values at once. */
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Document } from '../../crdt/document.js';
import type { Graph } from '../../graph/graph.js';
import type { CheckedPack } from '../../room/admission/checked-pack.js';
import type { KeyChecks } from '../../room/admission/key-rules.js';
import { Judgement, type RoomRules } from '../../room/admission/judgement.js';
import type { Admitting } from '../../room/intake/parking.js';
import { POLICY_KEY } from '../../crdt/system-keys.js';
import { isAboutKeys } from '../../room/state/about-keys.js';
import { isOfGivenUp } from '../../room/state/given-up.js';
import type { Laws } from '../../room/state/laws.js';
import { Roots } from '../../room/state/roots.js';
import type { Observing } from '../changes/observing.js';
import type { Authorship } from '../editing/authorship.js';

export class Merging implements Admitting {
  readonly #graph: Graph;
  readonly #values: Document;
  #rules: RoomRules;
  /** There once the room has a policy, or says something of keys. */
  #laws: Laws | undefined;
  /** How many of the names of keys were looked at. */
  #names = 0;
  readonly #author: Authorship;
  readonly #observing: Observing;
  readonly #followsPruning: boolean | undefined;
  readonly #rewritten: (givenUp: readonly number[]) => void;

  /** `rewritten`: nodes that were there are others now, or were given up. */
  constructor(
    graph: Graph,
    values: Document,
    rules: RoomRules,
    author: Authorship,
    observing: Observing,
    followsPruning: boolean | undefined,
    rewritten: (givenUp: readonly number[]) => void,
  ) {
    this.#graph = graph;
    this.#values = values;
    this.#rules = rules;
    this.#author = author;
    this.#observing = observing;
    this.#followsPruning = followsPruning;
    this.#rewritten = rewritten;
  }

  /** From then on nodes are judged by what the room says of keys, those too that are here already. */
  async keyChecks(): Promise<KeyChecks> {
    const { Speakers, keyChecks, keyRulesOf } = await import('../late.js');
    await this.#followLaws();
    const { speakers: roots } = this.#rules;
    if (roots instanceof Roots && !roots.all) {
      const speakers = new Speakers(this.#graph, roots.roots, roots.room);
      roots.all = speakers;
      this.#rules = { ...this.#rules, keys: keyRulesOf(speakers) };
      this.#laws?.truncate(0);
    }
    return keyChecks;
  }

  /** From then on nodes are judged by the room's policies. */
  async #followLaws(): Promise<void> {
    const { Laws: LawsOfRoom, permittingBy } = await import('../late.js');
    if (this.#laws) return;
    this.#laws = new LawsOfRoom(this.#graph, this.#rules.speakers);
    this.#rules = { ...this.#rules, permitting: permittingBy(this.#laws) };
  }

  /** Nodes that are here have other numbers from now on. */
  truncated(): void {
    this.#rules.speakers.truncate(0);
    this.#laws?.truncate(0);
  }

  /** What was kept may say something of keys that nobody has looked at since. */
  admit(pack: CheckedPack): Judgement | Promise<Judgement> {
    const { names } = this.#graph.table.keys;
    while (!this.#rules.keys && this.#names < names.length)
      if (isAboutKeys(names[this.#names++]!)) return this.keyChecks().then(() => this.#admit(pack));
    if (!this.#laws && (hasPolicy(this.#graph.table) || hasPolicy(pack.table)))
      return this.#followLaws().then(() => this.#admit(pack));
    return this.#admit(pack);
  }

  #admit(pack: CheckedPack): Judgement | Promise<Judgement> {
    this.#author.flush();
    const judgement = new Judgement(pack, this.#graph, this.#rules);
    if (judgement.doubted.length > 0) return judgement;
    if (judgement.fillsHeaders) {
      this.#observing.anew('remote', () => this.#enter(judgement));
      this.#rewritten([]);
    } else this.#enter(judgement);
    this.#observing.end('remote');
    return pack.table.keys.names.some(isOfGivenUp) ? this.#giveUp().then(() => judgement) : judgement;
  }

  /** What the room says was given up is given up here. No value changes by that. [VE2] [VE5] [PN6] */
  async #giveUp(): Promise<void> {
    const { givenUpHere } = await import('../late.js');
    this.#author.flush();
    for (const [nodes, carryOut] of givenUpHere(this.#graph, this.#values.registers, this.#followsPruning)) {
      this.#observing.anew('remote', () => {
        carryOut();
        this.#values.refold();
      });
      this.#rewritten(nodes);
    }
  }

  #enter(judgement: Judgement): void {
    judgement.enter(new Map());
    if (judgement.fillsHeaders) this.#values.refold();
    foldEnd(this.#graph, this.#values);
  }
}

function hasPolicy({ keys }: NodeTable): boolean {
  return keys.find(POLICY_KEY) !== undefined;
}

/** What stands at the end of the graph becomes part of the values. `edited`: the sequences hold it already. */
export function foldEnd(graph: Graph, values: Document, edited = false): void {
  const from = graph.settled;
  graph.settle();
  for (let node = from; node < graph.settled; node++) values.apply(node, edited);
}
