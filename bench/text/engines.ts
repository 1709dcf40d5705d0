import { rivalEngines } from '../rivals/engines.js';
import type { EngineEntry } from './text-engine.js';
import { weftEngines } from '../weft/text.js';

const entries: readonly EngineEntry[] = [...weftEngines, ...rivalEngines];

/** The engines of a run: those asked for by name, else all, rivals only when they take part. */
export function chooseTextEngines(libs: readonly string[], rivals: boolean): readonly EngineEntry[] {
  if (libs.length > 0) return libs.map((lib) => findTextEngine(lib, rivals));
  return entries.filter(({ installed }) => rivals || !installed);
}

export function findTextEngine(name: string, rivals: boolean): EngineEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) {
    throw new Error(`No engine is called ${name}: choose among ${entries.map((one) => one.name).join(', ')}.`);
  }
  if (entry.installed && !rivals) throw new Error(`${name} is not part of Weft: add --rivals, which installs it.`);
  return entry;
}
