/** Replay of a recording of several people by one replica per agent: each has seen what the recording says. */
import type { Replica } from '@weft/core';
import { type Recording, replay } from './recording.js';

/** Pack that an agent sent. */
export interface Sent {
  readonly agent: number;
  readonly pack: Uint8Array;
}

/** Sealed pack of what the replica wrote since the last one. */
export async function sealed(replica: Replica): Promise<Uint8Array> {
  const pack = await replica.seal();
  if (!pack) throw new Error('there is nothing to seal');
  replica.confirm();
  return pack;
}

/** Everything that the agents sent, in the order of sending: each pack after all that it stands on. */
export async function typedAgain(txns: Recording['txns'], replicas: readonly Replica[]): Promise<Sent[]> {
  /** Packs, each with the transaction that it ends with. */
  const sent: (Sent & { readonly end: number })[] = [];
  /** Agent -> packs of `sent` that it has received. */
  const received = replicas.map(() => new Set<Sent>());
  /** Transaction -> the newest one of each agent in its past, itself included. */
  const seen: number[][] = [];
  // Where another agent refers to a transaction by name, its author seals and sends.
  const named = new Set(
    txns.flatMap(({ agent, parents = [] }) => parents.filter((parent) => txns[parent]?.agent !== agent)),
  );
  for (const [index, { agent = 0, parents = [], patches }] of txns.entries()) {
    const past = replicas.map((_, other) => Math.max(-1, ...parents.map((parent) => seen[parent]?.[other] ?? -1)));
    const replica = replicas[agent];
    if (!replica) throw new Error(`there is no agent ${agent}`);
    for (const each of parents.length > 1 || txns[parents[0] ?? -1]?.agent !== agent ? sent : []) {
      if (each.agent === agent || each.end > (past[each.agent] ?? -1) || received[agent]?.has(each)) continue;
      if ((await replica.receive(each.pack)).refused.length > 0) throw new Error('a pack came before its ancestors');
      received[agent]?.add(each);
    }
    replay(patches, replica.text('text'));
    past[agent] = index;
    seen.push(past);
    if (named.has(index)) sent.push({ agent, end: index, pack: await sealed(replica) });
  }
  const rest = await Promise.all(replicas.map((replica) => replica.seal()));
  return [...sent, ...rest.flatMap((pack, agent) => (pack ? { agent, pack } : []))];
}
