/** Scripted model of the demonstration: each agent gets its own lines, turn by turn. */
import type { ChooseModel } from '../models/chosen-model.js';
import { SCRIPT_HEAD, type WrittenLine, readScript } from '../models/providers/scripted/script.js';
import { scripted } from '../models/providers/scripted/scripted.js';

/** Models that say what these lines say. */
export function demoModels(script: readonly WrittenLine[]): ChooseModel {
  const text = [SCRIPT_HEAD, ...script].map((line) => JSON.stringify(line)).join('\n');
  const provider = scripted(readScript(`${text}\n`));
  return () => ({ provider, model: 'script' });
}
