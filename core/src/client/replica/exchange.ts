/**
 * Exchange: what a connection needs of a replica beside `receive` and `confirm`: what to tell a server of what is held
 * here, what to send next, and which of it the server lacks.
 */
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';
import type { Initiator } from '../../reconcile/initiator.js';
import type { Unconfirmed } from './unconfirmed.js';

/** How much further back each next node lies that is named besides the heads. */
const STRIDE = 4;

/** A replica as a hello names it. [CL2] */
export interface Holdings {
  /** The heads. */
  readonly frontier: readonly NodeId[];
  /** Nodes that the server should hold: the newest of them, and a few older ones in case that it lost some. */
  readonly known: readonly NodeId[];
  /** The newest node that no server had confirmed by then. */
  readonly newest: NodeId | undefined;
}

export interface ExchangeParts {
  readonly graph: Graph;
  /** Number of its author. */
  readonly identity: number;
  readonly unconfirmed: Unconfirmed;
  /** Makes sure that the graph is there, and that it has all that was written. */
  readonly ready: () => void;
  /** Brings the graph back without keeping others waiting. */
  readonly awake: () => Promise<void>;
}

export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #listeners = new Set<() => void>();
  readonly #settled = new Set<() => void>();
  readonly #givenUp = new Set<() => void>();
  /** Keeps what was written where a crash does not reach it; nothing is sent before that. */
  keep: (() => Promise<void>) | undefined;

  /** Called when a server has refused something for now: what it stands on is not there. */
  early: (() => void) | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Called in the middle of each write here: to take note of it, no more. */
  onWrite(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Called when a server has answered for nodes: fewer are unconfirmed. */
  onSettled(listener: () => void): () => void {
    this.#settled.add(listener);
    return () => void this.#settled.delete(listener);
  }

  settled(): void {
    for (const listener of this.#settled) listener();
  }

  /** Called when nodes were given up without an answer to anything that was sent. */
  onGivenUp(listener: () => void): () => void {
    this.#givenUp.add(listener);
    return () => void this.#givenUp.delete(listener);
  }

  gaveUp(): void {
    for (const listener of this.#givenUp) listener();
  }

  wrote(): void {
    if (this.#listeners.size === 0) return; // a loop over none costs more than a keystroke should
    for (const listener of this.#listeners) listener();
  }

  /** How many nodes no server has confirmed. */
  get unconfirmed(): number {
    this.#parts.ready();
    return this.#parts.unconfirmed.nodes.length;
  }

  /**
   * The next of what was not sent, signed, for `confirm` to name: at most one run, and of several nodes not much more than
   * so many bytes. Undefined when there is nothing.
   */
  next(bytes: number): Promise<Uint8Array | undefined> {
    this.#parts.ready();
    return this.#parts.unconfirmed.next(bytes);
  }

  /** Own unconfirmed nodes behind the given one, one run at most, signed, for somebody who is no server: they stay to be sent. */
  async share(after: number): Promise<{ readonly nodes: Uint8Array; readonly last: number } | undefined> {
    await this.#parts.awake();
    this.#parts.ready();
    return this.#parts.unconfirmed.share(after);
  }

  /** What is told to other pages where there is no server is made of it. */
  get parts(): ExchangeParts {
    this.#parts.ready();
    return this.#parts;
  }

  /** Whatever was sent may not have arrived: it is to be sent again. */
  resend(): void {
    this.#parts.unconfirmed.resend();
  }

  get holdings(): Holdings {
    const { graph, unconfirmed, ready } = this.#parts;
    ready();
    const own = new Set(unconfirmed.nodes);
    const heads = graph.settledHeads;
    const known = newestBut(own, heads, graph);
    for (let back = STRIDE; back < graph.size; back *= STRIDE)
      if (!own.has(graph.size - back)) known.add(graph.size - back);
    // The genesis is everybody's: it says nothing, and a server need not hold it yet.
    const names = (nodes: Iterable<number>): NodeId[] =>
      [...nodes].filter((node) => node > 0).map((n) => graph.idOf(n));
    return { frontier: names(heads), known: names(known), newest: names(unconfirmed.nodes.slice(-1))[0] };
  }

  /** Notes that a server holds this node and those before; answers how many of them none had confirmed. */
  settle(newest: NodeId): number {
    const last = this.#parts.graph.find(newest);
    return this.#parts.unconfirmed.settleTo((node) => node <= last);
  }

  /** Notes that a server holds these nodes, and with them what their author wrote before. The rest is sent again. */
  settleWith(nodes: readonly number[]): void {
    if (!this.#parts.unconfirmed.settleTo((node) => nodes.includes(node))) return;
    this.resend();
    this.gaveUp();
    this.settled();
  }

  /** Begins to find out what a server lacks. How is loaded when it is needed: after a server has lost something. */
  async reconcile(): Promise<Initiator> {
    const late = await import('../late.js');
    this.#parts.ready();
    return new late.Initiator(new late.HeldIds(this.#parts.graph));
  }

  /** No server holds these nodes, whatever one has said before: those of this author are to be sent. */
  unsettle(nodes: readonly number[]): void {
    const { graph, identity, unconfirmed } = this.#parts;
    const { table } = graph;
    unconfirmed.unsettle(nodes.filter((node) => table.identity.get(node) === identity && !table.withheld.has(node)));
  }
}

/** The newest nodes below and among the heads that are none of these. */
function newestBut(own: ReadonlySet<number>, heads: readonly number[], graph: Graph): Set<number> {
  const seen = new Set(heads);
  for (const node of seen) if (own.has(node)) for (const ancestor of graph.ancestors(node)) seen.add(ancestor);
  return new Set([...seen].filter((node) => !own.has(node)));
}
