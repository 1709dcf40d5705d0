/** Scripted model of the demonstration: each agent gets its own lines, turn by turn. */
import type { ChooseModel } from '../models/chosen-model.js';
import { SCRIPT_HEAD, readScript } from '../models/providers/script.js';
import { scripted } from '../models/providers/scripted.js';
import { SCRIPT } from './script.js';

export function demoModels(): ChooseModel {
  const text = [SCRIPT_HEAD, ...SCRIPT].map((line) => JSON.stringify(line)).join('\n');
  const provider = scripted(readScript(`${text}\n`));
  return () => ({ provider, model: 'script' });
}
