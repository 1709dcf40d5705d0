import { archiveBench } from './rooms/archive.js';
import type { Bench } from './bench.js';
import { abuseBench } from './servers/abuse.js';
import { clientBench } from './servers/client.js';
import { ebbBench } from './servers/ebb.js';
import { idleBench } from './servers/idle.js';
import { clusterBench } from './servers/cluster.js';
import { deathsBench } from './servers/deaths.js';
import { efficacyBench } from './efficacy/efficacy.js';
import { faceBench } from './face/face.js';
import { joinBench } from './servers/join.js';
import { launchBench } from './servers/launch.js';
import { restartBench } from './servers/restart.js';
import { sandboxBench } from './studio/sandbox.js';
import { slowBench } from './servers/slow.js';
import { fanoutBench } from './servers/fanout.js';
import { graphBench } from './rooms/graph.js';
import { growthBench } from './rooms/growth.js';
import { hostBench } from './rooms/host.js';
import { mergeBench } from './text/merge.js';
import { openingBench } from './text/opening.js';
import { overwrittenBench } from './rooms/overwritten.js';
import { packBench } from './rooms/pack.js';
import { proofsBench } from './rooms/proofs.js';
import { queryBench } from './rooms/query.js';
import { reconcileBench } from './rooms/reconcile.js';
import { studioBench } from './studio/studio.js';
import { stopAllBench } from './studio/stop-all.js';
import { stateBench } from './rooms/state.js';
import { textBench } from './text/text.js';
import { threadsBench } from './servers/threads.js';
import { topologyBench } from './rooms/topology.js';
import { workspaceBench } from './studio/workspace.js';

/** Every bench there is. A new one is a file of its own and a name here. */
export const benches: readonly Bench[] = [
  textBench,
  mergeBench,
  graphBench,
  packBench,
  stateBench,
  reconcileBench,
  openingBench,
  overwrittenBench,
  queryBench,
  proofsBench,
  topologyBench,
  hostBench,
  growthBench,
  archiveBench,
  workspaceBench,
  studioBench,
  stopAllBench,
  sandboxBench,
  launchBench,
  fanoutBench,
  joinBench,
  idleBench,
  slowBench,
  ebbBench,
  abuseBench,
  restartBench,
  clusterBench,
  deathsBench,
  clientBench,
  faceBench,
  threadsBench,
  efficacyBench,
];

export function findBench(name: string | undefined): Bench {
  const bench = benches.find((candidate) => candidate.name === name);
  if (bench !== undefined) return bench;
  const list = benches.map((candidate) => `  ${candidate.name.padEnd(11)}${candidate.summary}`).join('\n');
  throw new Error(`${name === undefined ? 'Name a bench' : `No bench is called ${name}`}. There are:\n${list}`);
}
