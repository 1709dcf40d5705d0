/** A trial of a cluster that is told of in figures, and was one: everything was harmed, and something was answered all the same. */
import { expect } from 'vitest';
import type { PostgresServer } from '../support/servers/postgres.js';
import { type ClusterEnded, ClusterTrial } from './cluster-trial.js';
import type { TriedBus } from './tried-bus.js';

const told = ({ ms, besides }: ClusterEnded['recovered']['kill'][number]): string => `${ms} (${besides.join(', ')})`;

export async function clusterTried(
  database: PostgresServer,
  { bus, ms }: { readonly bus: TriedBus['name']; readonly ms: number },
): Promise<ClusterEnded> {
  const seed = Math.floor(Math.random() * 2 ** 31);
  // Told first: a trial that never comes to rest tells nothing else.
  console.log(`seed ${seed} over ${bus}: begins`);
  const ended = await (await ClusterTrial.of(seed, bus, database)).lasts(ms);
  const { figures, recovered, violations, waiting, gaveUp, archived } = ended;
  const said = Object.entries(figures).map(([name, count]) => `${name} ${count}`);
  console.log(`seed ${seed} over ${bus}: ${said.join(', ')}; ${violations.length} violations`);
  for (const [name, all] of Object.entries(recovered))
    console.log(`milliseconds until all rooms took writes again, ${name}: ${all.map(told).join(', ')}`);
  for (const { room, promise, why } of violations) console.log(`${room}, ${promise}: ${why}`);
  for (const line of [...waiting, ...gaveUp]) console.log(line);
  for (const harmed of ['kills', 'stops', 'databases', 'buses', 'cuts', 'acknowledged', 'joins'])
    expect([harmed, figures[harmed]]).toEqual([harmed, expect.toSatisfy((count: number) => count > 0)]);
  expect(archived.copy).toEqual(archived.room);
  return ended;
}
