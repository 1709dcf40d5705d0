// A process dies under a herd: 5,000 peers of three processes, a third of whom come again at once, while others write at those that are left.
import { setTimeout as sleep } from 'node:timers/promises';
import { type RoomClient, generateKeys, keepRoom } from '@weft/core';
import WebSocket from 'ws';
import { type Figures, percentile } from '../measuring/statistics.js';
import { mustHold } from '../measuring/harness.js';
import type { ClusteredServers } from '../serving/clustered-servers.js';

const ROOMS = 150;
/** Clients that enter at once. */
const AT_ONCE = 50;
/** Writers at the processes that are left, and longest that each waits between two writes. */
const [WRITERS, IDLE_MS] = [20, 200];
const CALM_MS = 5000;
const MOST_MS = 60_000;

export async function measureHerd(servers: ClusteredServers, peers: number): Promise<Figures> {
  const clients: RoomClient[] = [];
  /** Attempts of each client since the death. */
  const tries = Array.from({ length: peers }, () => 0);
  const keys = generateKeys();
  const enter = async (peer: number): Promise<void> => {
    const room = peer % ROOMS;
    const first = room % 3;
    const client = keepRoom({
      open: () => {
        tries[peer]!++;
        // As behind a balancer that goes by the path, and takes the next process where that one is not there.
        const at = [first, (first + 1) % 3, (first + 2) % 3].find((member) => servers.isAlive(member))!;
        return new WebSocket(servers.urlOf(at, `herd-${room}`));
      },
      keys: peer < WRITERS ? generateKeys() : keys,
    });
    clients[peer] = client;
    await client.joined;
  };
  try {
    for (let at = 0; at < peers; at += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, peers - at) }, (_, i) => enter(at + i)));
    const hit = [...clients.keys()].filter((peer) => (peer % ROOMS) % 3 === 0);
    const waits = { before: [] as number[], after: [] as number[] };
    let now: keyof typeof waits | undefined = 'before';
    let isOver = false;
    const writers = [...clients.keys()].filter((peer) => (peer % ROOMS) % 3 !== 0).slice(0, WRITERS);
    const writing = writers.map(async (peer) => {
      const { replica } = clients[peer]!;
      for (let at = 0; !isOver; at++) {
        await sleep(Math.random() * IDLE_MS);
        const [during, began] = [now, performance.now()];
        replica.set(`of-${peer}`, at);
        await clients[peer]!.push();
        if (during) waits[during].push(performance.now() - began);
      }
    });
    await sleep(CALM_MS);
    now = 'after';
    tries.fill(0);
    const died = performance.now();
    await servers.kill(0);
    const back = await Promise.all(
      hit.map(async (peer) => {
        const client = clients[peer]!;
        while (client.state === 'joined' && tries[peer] === 0) await sleep(5);
        while (client.state !== 'joined') {
          mustHold(performance.now() - died < MOST_MS, 'a peer does not come back');
          await sleep(5);
        }
        return performance.now() - died;
      }),
    );
    isOver = true;
    await Promise.all(writing);
    return {
      herd_back_ms: Math.max(...back),
      herd_back_p50_ms: percentile(back, 0.5),
      herd_again: hit.filter((peer) => tries[peer]! > 2).length,
      calm_p99_ms: percentile(waits.before, 0.99),
      herd_p99_ms: percentile(waits.after, 0.99),
    };
  } finally {
    for (const client of clients) client.close();
  }
}
