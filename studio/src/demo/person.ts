/**
 * Simulated person, who does over REST what a person would do: states the goal, answers, resumes, approves, lands, promotes.
 * The next action follows from what is recorded, so a demonstration that was interrupted continues when it is run again.
 */
import { GOAL, MULTIPLY, TURNS } from './script.js';

export interface Person {
  readonly url: string;
  readonly token: string;
  /** The user's repository. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

interface Unit {
  readonly workUnitId: string;
  readonly goal: string;
  readonly status: string;
  readonly branchId: string;
  readonly parentWorkUnitId?: string;
}

interface Proposal {
  readonly proposalId: string;
  readonly status: string;
  readonly workUnitId?: string;
  readonly promotedToDisk: boolean;
}

const CONFLICT = 409;

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Takes the next action. Answers whether the goal is over, something was done, or nothing could be done. */
export async function doNext(person: Person): Promise<'over' | 'done' | 'nothing'> {
  const { folder, say } = person;
  const get = <T>(path: string): Promise<T> => request<T>(person, 'GET', path);
  const act = async (what: string, method: string, path: string, body: object = {}): Promise<'done' | 'nothing'> => {
    try {
      await request(person, method, path, body);
    } catch (error) {
      // Lost race: a host that recovers from a crash may have done it first.
      if (error instanceof Refusal && error.status === CONFLICT) return 'nothing';
      throw error;
    }
    say(`person: ${what}`);
    return 'done';
  };
  if ((await get<object[]>('repositories')).length === 0)
    return act(`registers ${folder}`, 'POST', 'repositories', { path: folder, label: 'calculator' });
  if (!(await get<{ usePromotionBranch: boolean }>('options')).usePromotionBranch)
    return act('wants results on the candidate branch first', 'POST', 'options', { usePromotionBranch: true });
  if ((await get<{ maxIterations: number }>('agent-profiles/worker')).maxIterations !== TURNS)
    return act(`gives workers ${TURNS} turns`, 'PUT', 'agent-profiles/worker', { maxIterations: TURNS });
  const units = await get<Unit[]>('workunits');
  const root = units.find((unit) => unit.parentWorkUnitId === undefined);
  if (!root)
    return act(`states the goal: ${GOAL}`, 'POST', 'workunits', {
      goal: GOAL,
      owner: 'demo',
      successCriteria: 'The tests of the repository pass.',
      taskReviewPolicy: 'AgentApproval',
      workspaceReviewPolicy: 'HumanRequired',
    });
  const { workUnitId, branchId: seedFromBranchId } = root;
  if (root.status === 'Created')
    return act('lets agents begin', 'POST', 'agents/spawn', { agentType: 'orchestrator', workUnitId });
  const isDivided = units.some((unit) => unit.parentWorkUnitId === workUnitId);
  if (isDivided && !units.some(({ goal }) => goal === MULTIPLY)) {
    const part = { goal: MULTIPLY, owner: 'demo', parentWorkUnitId: workUnitId, seedFromBranchId };
    return act(`adds what the plan has overlooked: ${MULTIPLY}`, 'POST', 'workunits', part);
  }
  const [question] = await get<{ workUnitId: string; question: string }[]>('clarifications');
  if (question) {
    const path = `clarifications/${question.workUnitId}/respond`;
    return act(`is asked «${question.question}» and answers: 2`, 'POST', path, { response: '2', respondedBy: 'demo' });
  }
  const [failure] = await get<{ entryId: string; reason: string }[]>('dead-letter');
  if (failure) {
    const path = `dead-letter/${failure.entryId}/continue`;
    return act(`lets go on what has failed (${failure.reason})`, 'POST', path);
  }
  const interrupted = await get<object[]>('scheduler/awaiting-resume');
  if (interrupted.length > 0) return act('resumes what was interrupted', 'POST', 'scheduler/resume-all');
  const proposals = await get<Proposal[]>('merges');
  const whole = proposals.filter((proposal) => proposal.workUnitId === workUnitId).at(-1);
  if (whole?.status === 'ReadyForReview')
    return act('approves the whole', 'POST', `merges/${whole.proposalId}/review`, { decision: 'Approved' });
  if (whole?.status === 'Approved') return act('lands it', 'POST', `merges/${whole.proposalId}/apply`);
  if (whole?.status === 'Merged' && !whole.promotedToDisk)
    return act('promotes the candidate branch', 'POST', 'branches/candidate/promote');
  return whole?.promotedToDisk ? 'over' : 'nothing';
}

/** Status of each unit, for display. */
export async function unitsNow(person: Person): Promise<readonly (Unit & { readonly title: string })[]> {
  const units = await request<Unit[]>(person, 'GET', 'workunits');
  return units.map((unit) => ({ ...unit, title: unit.goal.split('\n')[0] ?? '' }));
}

async function request<T>({ url, token }: Person, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Refusal(response.status, `${method} ${path}: ${JSON.stringify(answer)}`);
  // Shapes of this program's own answers.
  return answer as T;
}
