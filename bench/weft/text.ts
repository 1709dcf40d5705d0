import type { EngineEntry, TextEngine } from '../text/text-engine.js';
import { splitHistory } from './document.js';
import { WEFT_VERSION, newGenesis, newReplica, openSaved, receiveWhole } from './engine.js';
import { MOST_SIGNED, type Manner, WeftReplica, manners } from './text-replica.js';

type About = Pick<TextEngine, 'name' | 'doesNot' | 'signs' | 'concurrent' | 'forms' | 'most'>;

/** An engine's replicas share a room of its own. */
async function weftEngine(about: About, manner: Manner): Promise<TextEngine> {
  const genesis = await newGenesis();
  return {
    ...about,
    version: WEFT_VERSION,
    editsPerMessage: manner.editsPerNode,
    create: async () => new WeftReplica(genesis, await newReplica(genesis), manner),
    open: async (bytes, form) => {
      if (form === 'snapshot') return new WeftReplica(genesis, await openSaved(bytes), manner);
      const whole = splitHistory(bytes);
      const replica = await newReplica(whole.genesis);
      await receiveWhole(replica, whole.pack);
      return new WeftReplica(whole.genesis, replica, manner);
    },
  };
}

/** Only an author who never confirmed has all of it for a pack; a snapshot anybody can save. */
const forms = ['snapshot', 'pack'];

export const weftEngines: readonly EngineEntry[] = [
  {
    name: 'weft',
    installed: false,
    load: () => {
      const doesNot = ['seals every 256 edits and where the typing ends'];
      return weftEngine({ name: 'weft', doesNot, signs: false, concurrent: true, forms }, manners.weft);
    },
  },
  {
    name: 'weft sealed',
    installed: false,
    load: () => {
      // Not in `merge`: there `weft` seals the end of each transaction, which is nearly every edit.
      const about = { name: 'weft sealed', doesNot: ['seals each edit'], signs: true, concurrent: false, forms: [] };
      return weftEngine(
        { ...about, most: { typeEach: MOST_SIGNED, receiveEach: MOST_SIGNED } },
        manners['weft sealed'],
      );
    },
  },
  {
    name: 'weft batched',
    installed: false,
    load: () => {
      const about = { name: 'weft batched', doesNot: ['seals each 64 edits'], signs: true, concurrent: true, forms };
      return weftEngine(about, manners['weft batched']);
    },
  },
];
