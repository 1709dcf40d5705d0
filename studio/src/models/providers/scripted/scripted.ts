/**
 * A model that says what a file says (docs/guide/scripts.md). Which line answers follows from who asks and for which turn, never from the
 * order in which agents happen to ask: parallel agents each get their own lines.
 */
import type { AskedFor, ModelRequest, ModelTurn, Provider, TurnOptions } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { likenessOf } from './digest.js';
import { fillIn } from './fill-in.js';
import { Reply } from '../replies/reply.js';
import type { Script, ScriptLine, When } from './script.js';
import { wait } from '../wait.js';

export interface ScriptedOptions {
  /** Strict matching: recorded lines answer only the exact recorded question. */
  readonly isStrict?: boolean | undefined;
}

/** Track: lines for one asker. Each turn has the lines that answer it, of which all but the last are failed attempts. */
interface Track {
  readonly when: When;
  readonly turns: ReadonlyMap<number, readonly ScriptLine[]>;
  readonly repeated: ScriptLine | undefined;
}

/** Progress of one asker. */
interface AskerState {
  turn: number;
  tries: number;
}

export function scripted(script: Script, { isStrict = false }: ScriptedOptions = {}): Provider {
  const tracks = tracksOf(script);
  const askers = new Map<string, AskerState>();
  return {
    name: 'scripted',
    async turn(request, options) {
      const { about = {} } = request;
      const track = tracks.find(({ when }) => fits(when, request));
      if (!track) throw new ProviderError('refused', `the script has nothing for ${named(about)}`);
      const name = JSON.stringify([track.when, about.role, about.unit, about.title]);
      const asker = askers.get(name) ?? { turn: about.turn ?? 0, tries: 0 };
      askers.set(name, asker);
      if (about.turn !== undefined && about.turn !== asker.turn) Object.assign(asker, { turn: about.turn, tries: 0 });
      const tries = track.turns.get(asker.turn) ?? (track.repeated ? [track.repeated] : []);
      const line = tries[Math.min(asker.tries, tries.length - 1)];
      const asked = `turn ${asker.turn} of ${named(about)}`;
      if (!line) throw new ProviderError('refused', `the script does not know ${asked}`);
      if (isStrict && line.asked !== undefined && line.asked !== likenessOf(request).asked)
        throw new ProviderError('refused', `${asked} is asked otherwise than it was recorded`);
      await wait(later, line.afterMs ?? 0, options.signal);
      if (line.fault === undefined) Object.assign(asker, { turn: asker.turn + 1, tries: 0 });
      else asker.tries += 1;
      return play(line, request, options.onText);
    },
  };
}

/** Tracks, most specific first. */
function tracksOf(script: Script): Track[] {
  const lines = new Map<string, ScriptLine[]>();
  for (const line of script) {
    const { role, unit, title, says } = line.when;
    const name = JSON.stringify([role, unit, title, says]);
    lines.set(name, [...(lines.get(name) ?? []), line]);
  }
  const lanes = [...lines.values()].map((own): Track => {
    const turns = new Map<number, ScriptLine[]>();
    let next = 0;
    for (const line of own) {
      const turn = line.turn ?? next;
      turns.set(turn, [...(turns.get(turn) ?? []), line]);
      next = line.fault === undefined ? turn + 1 : turn;
    }
    return { when: own[0]?.when ?? {}, turns, repeated: own.find(({ repeat }) => repeat) };
  });
  const weight = ({ when }: Track): number => Object.keys(when).length;
  return lanes.sort((a, b) => weight(b) - weight(a));
}

function fits({ role, unit, title, says }: When, { about = {}, messages }: ModelRequest): boolean {
  const isSaid = says === undefined || messages[0]?.text.includes(says) === true;
  const isAbout = (wanted: string | undefined, is: string | undefined) => wanted === undefined || wanted === is;
  return isSaid && isAbout(role, about.role) && isAbout(unit, about.unit) && isAbout(title, about.title);
}

export function play(line: ScriptLine, request: ModelRequest, onText: TurnOptions['onText']): ModelTurn {
  const { fault, retryAfterMs, stop, usage, cut, refusal, text = '', calls = [] } = line;
  if (fault !== undefined) throw new ProviderError(fault, `the script says ${fault}`, { retryAfterMs });
  // Recorded text is said again as it is, braces included.
  const fill = <T>(value: T): T => (line.asked === undefined ? fillIn(value, request) : value);
  const reply = new Reply(request, onText);
  reply.addText(fill(text));
  for (const [index, { callId = '', name, input }] of calls.entries())
    reply.addCall(index, { id: callId, name, json: JSON.stringify(fill(input)) });
  reply.stop = stop;
  reply.usage = usage;
  reply.refusal = refusal;
  const turn = reply.finish();
  return cut ? { ...turn, cut } : turn;
}

function later(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => {
    clearTimeout(timer);
  };
}

function named({ role, unit, title }: AskedFor): string {
  const parts = [role, unit, title].filter((part) => part !== undefined);
  return parts.length === 0 ? 'who does not say who asks' : parts.map((part) => JSON.stringify(part)).join(', ');
}
