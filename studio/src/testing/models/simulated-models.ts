/**
 * Models of a simulated host. What they say follows from who asks and when, so it is the same in whatever order they are asked; and
 * much goes wrong with them: vendors refuse, fall silent and lie about form, agents ask, loop and call what is not there.
 */
import { PROVIDER_FAULTS, ProviderError, type ProviderFault } from '../../models/provider.js';
import type { Chance } from '../chance.js';
import type { Clock } from '../../clock.js';
import type { Asked, Script, Turn } from './scripted-models.js';

export interface SimulatedParts {
  readonly chance: Chance;
  readonly clock: Pick<Clock, 'after'>;
  /** Resolves when something else has happened. */
  readonly moment: () => Promise<void>;
  /** Whether everybody does what is wanted of them by now. */
  readonly isHelping: () => boolean;
}

/** After so much silence a provider gives up by itself. */
const LONGEST_SILENCE_MS = 120_000;
const FAULTS: readonly ProviderFault[] = PROVIDER_FAULTS.filter((fault) => fault !== 'stopped');

/** What no model should say. */
const ODD: readonly Turn[] = [
  { text: 'done, I think' },
  {},
  { text: 'half a character: \ud83d', calls: [['artifact_query', { keywords: '\udc00' }]] },
  { text: 'long '.repeat(20_000) },
  { calls: [['nonsense', {}]] },
  { calls: [['workunit_get', { workUnitId: 7 }]] },
  { calls: [['artifact_record', {}]] },
  { calls: [['workunit_cancel', { workUnitId: 'wu-of-others' }]] },
  { calls: Array(20).fill(['workunit_list', {}]) as Turn['calls'] & object },
];

export function simulatedModels({ chance, clock, moment, isHelping }: SimulatedParts): Script {
  return async (asked, signal) => {
    const { role, goal, turn, request } = asked;
    const about = `${goal}/${turn}/${request.messages.length}`;
    for (let i = chance.number(`slow ${about}`, 8); i > 0; i--) await moment();
    if (signal.aborted) throw new ProviderError('stopped', 'stopped');
    if (isHelping()) return role === 'planner' ? plan(chance, goal) : result(chance, asked, about, true);
    const mood = chance.number(`mood ${about}`, 100);
    if (mood < 8) throw new ProviderError(chance.pick(`fault ${about}`, FAULTS), 'no luck');
    if (mood < 11) return silence(clock, signal);
    if (mood < 17) return { ...chance.pick(`odd ${about}`, ODD), ...usage(chance, about, asked) };
    if (role === 'planner') return plan(chance, goal);
    if (mood < 25) return { calls: [['clarification_request', { question: `what about ${about}?` }]] };
    if (mood < 30)
      return { calls: [['artifact_record', { type: 'Constraint', title: `rule of ${about}`, body: about }]] };
    if (mood < 65) return { calls: [['artifact_query', { keywords: about }]], ...usage(chance, about, asked) };
    return result(chance, asked, about, false);
  };
}

/** What a unit is for: changed files where its goal is about files, else what was found out. */
function result(chance: Chance, asked: Asked, about: string, isHelping: boolean): Turn {
  const { role, goal, request } = asked;
  if (role === 'reviewer') return review(chance, asked, about, isHelping);
  const [, inConflict] = /^Bring together what two pieces of work have changed in (.*)\.$/.exec(goal) ?? [];
  if (inConflict !== undefined) return proposal(inConflict.split(', '), goal, request.messages.length);
  if (!goal.startsWith(FILES)) return finding(asked, about);
  const met = conflictTold(request.messages);
  if (met) return proposal(met, goal, request.messages.length);
  const paths = chance.happens(`shared ${about}`, 70)
    ? [SHARED[chance.number(`which ${about}`, SHARED.length)]!, ownFile(goal)]
    : [ownFile(goal)];
  if (!isHelping && chance.happens(`outside ${about}`, 10)) paths.push('outside.txt');
  return proposal(paths, `${goal} ${chance.number(`line of ${about}`, LINES)}`, request.messages.length);
}

/** Files of the conflict that an agent was told of last, if it was told of one. */
function conflictTold(messages: Asked['request']['messages']): string[] | undefined {
  const told = messages.flatMap(({ text }) => /^Changed on both sides: (.*)$/m.exec(text)?.[1] ?? []);
  return told.at(-1)?.split(', ');
}

/** What goals that change files begin with. */
export const FILES = 'files ';
/** Files that many change, so that some of them collide. */
export const SHARED = ['src/a.txt', 'src/b.txt'];
export const LINES = 9;

/** Text of a shared file, of which each unit changes one line. */
export function sharedText(by = ''): string {
  const line = by === '' ? -1 : Number(by.at(-1)) % LINES;
  return Array.from({ length: LINES }, (_, n) => `${n === line ? `${n} by ${by}` : n}\n`).join('');
}

function ownFile(goal: string): string {
  return `src/${goal.replaceAll(/[^a-z0-9]+/g, '-')}.txt`;
}

/** Reads, since what was not read is not written over; writes; and proposes. */
function proposal(paths: readonly string[], by: string, turn: number): Turn {
  return {
    calls: [
      ...paths.map((path) => ['view', { path }] as const),
      ...paths.map(
        (path) => ['write', { path, text: SHARED.includes(path) ? sharedText(by) : `${by} ${turn}\n` }] as const,
      ),
      ['merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary: by }],
    ],
  };
}

function review(chance: Chance, { request }: Asked, about: string, isHelping: boolean): Turn {
  const texts = request.messages.flatMap((one) => (one.role === 'user' ? [one.text] : []));
  const [, proposalId = 'MP-none'] = [...texts.join('\n').matchAll(/^Proposal (\S+): /gm)].at(-1) ?? [];
  const isGood = isHelping || !chance.happens(`rejected ${about}`, 35);
  const findings = isGood ? [] : [{ severity: 'blocker', placeless: 'all of it', text: 'not like that' }];
  const said = { findings, verificationResults: 'I have looked' };
  return { calls: [['review', { proposalId, decision: isGood ? 'Approved' : 'Rejected', ...said }]] };
}

function finding({ goal }: Asked, body: string): Turn {
  return { calls: [['artifact_record', { type: 'Research', title: `${goal} done`, body }]] };
}

/** Now and then as much as was allowed; a vendor counts no more than was sent. */
function usage(chance: Chance, about: string, { request }: Asked): Pick<Turn, 'usage'> {
  if (!chance.happens(`dear ${about}`, 20)) return {};
  const inputTokens = Math.floor(JSON.stringify(request).length / 3);
  return { usage: { inputTokens, cachedInputTokens: 0, outputTokens: request.maxTokens } };
}

/** It never says anything. */
function silence(clock: Pick<Clock, 'after'>, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (fault: 'timeout' | 'stopped'): void => {
      callOff();
      signal.removeEventListener('abort', stop);
      reject(new ProviderError(fault, fault));
    };
    const stop = (): void => end('stopped');
    const callOff = clock.after(LONGEST_SILENCE_MS, () => end('timeout'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}

function plan(chance: Chance, goal: string): Turn {
  const slices = [...Array(1 + chance.number(`slices of ${goal}`, 5)).keys()].map((i) => ({
    sliceId: `s${i}`,
    goal: `${goal} part ${i}`,
    dependsOn: i > 0 && chance.happens(`depends ${goal} ${i}`, 50) ? [`s${chance.number(`on ${goal} ${i}`, i)}`] : [],
    fileScope: chance.happens(`scope ${goal} ${i}`, 30) ? ['src/**'] : [],
  }));
  return { calls: [['artifact_record_plan', { planContent: JSON.stringify({ slices }) }]] };
}
