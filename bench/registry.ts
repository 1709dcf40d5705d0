import { archiveBench } from './archive.js';
import type { Bench } from './bench.js';
import { abuseBench } from './abuse.js';
import { clientBench } from './client.js';
import { ebbBench } from './ebb.js';
import { idleBench } from './idle.js';
import { clusterBench } from './cluster.js';
import { efficacyBench } from './efficacy.js';
import { faceBench } from './face.js';
import { joinBench } from './join.js';
import { launchBench } from './launch.js';
import { restartBench } from './restart.js';
import { sandboxBench } from './sandbox.js';
import { slowBench } from './slow.js';
import { fanoutBench } from './fanout.js';
import { graphBench } from './graph.js';
import { growthBench } from './growth.js';
import { hostBench } from './host.js';
import { mergeBench } from './merge.js';
import { openingBench } from './opening.js';
import { overwrittenBench } from './overwritten.js';
import { packBench } from './pack.js';
import { proofsBench } from './proofs.js';
import { queryBench } from './query.js';
import { reconcileBench } from './reconcile.js';
import { studioBench } from './studio.js';
import { stopAllBench } from './stop-all.js';
import { stateBench } from './state.js';
import { textBench } from './text.js';
import { threadsBench } from './threads.js';
import { topologyBench } from './topology.js';
import { workspaceBench } from './workspace.js';

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
