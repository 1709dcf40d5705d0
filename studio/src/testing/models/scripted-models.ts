/** ChooseModel whose turns a test writes: what they say follows from what they are asked, and from nothing else. */
import type { ChosenModel, ChooseModel } from '../../models/chosen-model.js';
import { type ModelRequest, type ModelTurn, type ModelUsage, ProviderError } from '../../models/provider.js';

export type Role = 'planner' | 'worker' | 'reviewer' | 'reconciler';

export interface Asked {
  readonly role: Role;
  readonly workUnitId: string;
  readonly branchId: string;
  /** The goal of the unit. */
  readonly goal: string;
  /** How many turns were taken in this conversation, from 0. */
  readonly turn: number;
  readonly request: ModelRequest;
  /** What the agent was told last. */
  readonly said: string;
  /** Streams a piece of the text before the turn has it all. */
  readonly say: (text: string) => void;
}

export interface Turn {
  readonly text?: string;
  /** Tools by their name without prefix, with what they are given. */
  readonly calls?: readonly (readonly [name: string, input: object])[];
  readonly usage?: ModelUsage;
}

const LITTLE: ModelUsage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10 };

export type Script = (asked: Asked, signal: AbortSignal) => Turn | Promise<Turn>;

const ROLES: readonly string[] = ['planner', 'worker', 'reviewer', 'reconciler'] satisfies Role[];

export function scriptedModels(script: Script, more: Partial<ChosenModel> = {}): ChooseModel {
  return () => ({
    model: 'scripted-1',
    provider: {
      name: 'scripted',
      async turn(request, { signal, onText }) {
        if (signal.aborted) throw new ProviderError('stopped', 'stopped');
        const turn = await script(askedOf(request, onText), signal);
        if (signal.aborted) throw new ProviderError('stopped', 'stopped');
        return turnOf(request, turn);
      },
    },
    ...more,
  });
}

export function turnOf({ messages, tools }: ModelRequest, { text = '', calls = [], usage = LITTLE }: Turn): ModelTurn {
  const count = messages.length;
  // Tools that only agents have are called as they are listed.
  const isOwn = (name: string): boolean => tools.some((tool) => tool.name === name);
  return {
    text,
    calls: calls.map(([name, input], i) => ({
      callId: `call-${count}-${i}`,
      name: isOwn(name) ? name : `svc_v1_${name}`,
      input: { ...input },
    })),
    stop: calls.length === 0 ? 'end' : 'calls',
    usage,
  };
}

export function askedOf(request: ModelRequest, say: Asked['say'] = () => undefined): Asked {
  const { about = {}, messages, tools } = request;
  const { role = 'worker', unit = '', turn = 0 } = about;
  // A profile of a test's own is known by what it may do.
  const names = tools.map(({ name }) => name.replace('svc_v1_', ''));
  const isForReviews = names.includes('merge_review') && !names.includes('merge_propose');
  const users = messages.flatMap((one) => (one.role === 'user' || one.role === 'notice' ? [one.text] : []));
  return {
    role: isRole(role) ? role : isForReviews ? 'reviewer' : 'worker',
    workUnitId: unit,
    branchId: /^Work unit [^,]+, on branch (\S+)\.$/m.exec(users[0] ?? '')?.[1] ?? '',
    goal: /^Goal: (.*)$/m.exec(users[0] ?? '')?.[1] ?? '',
    turn,
    request,
    said: users.at(-1) ?? '',
    say,
  };
}

function isRole(name: string): name is Role {
  return ROLES.includes(name);
}
