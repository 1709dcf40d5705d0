/** Demonstration played over REST, by somebody whom its link has let in. */

type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

interface Waiting {
  readonly kind: string;
  readonly id: string;
  readonly workUnitId?: string;
}

/** Looks for each result. */
const LOOKS = 400;
const PAUSE_MS = 50;

/** Lets one in by a link, as a browser does. */
export async function enteredBy(link: string): Promise<{ readonly ask: Ask }> {
  const [origin = '', code = ''] = link.split('/#code=');
  const entered = await fetch(`${origin}/studio/codes/${code}`, { method: 'POST' });
  const { page } = (await entered.json()) as { page: string };
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
  const headers = { cookie, 'x-weft-page': page, 'content-type': 'application/json' };
  const ask: Ask = async <T>(method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    // Shapes of the studio's own answers.
    return (await (await fetch(`${origin}/studio/${path}`, { method, headers, ...sent })).json()) as T;
  };
  return { ask };
}

interface Play {
  /** Way out of its failure. */
  readonly way: string;
  /** How often its result is sent back. Default: once. */
  readonly rejections?: number;
}

/** Plays it until it has landed. Answers what was done, each once. After a third rejection it is held, and tried again. */
export async function playToItsEnd(ask: Ask, { way, rejections = 1 }: Play): Promise<readonly string[]> {
  const { goal } = await ask<{ goal: object }>('GET', 'demonstration');
  const [repository] = await ask<{ repositoryId: string }[]>('GET', 'repositories');
  await ask('POST', 'goals/run', { ...goal, repositoryId: repository?.repositoryId });
  const done = new Set<string>();
  const sentBack = new Set<string>();
  const act = async ({ kind, id, workUnitId }: Waiting): Promise<void> => {
    if (kind === 'answer') {
      done.add(kind);
      await ask('POST', `clarifications/${workUnitId}/respond`, { response: '3', respondedBy: 'a person' });
    } else if (kind === 'failed') {
      done.add(kind);
      const chosen = sentBack.size === 0 ? way : 'retry';
      await ask(
        'POST',
        `dead-letter/${id}/${chosen}`,
        chosen.endsWith('context') ? { steeringContext: 'Read less.' } : {},
      );
    } else if (kind === 'review' && sentBack.size < rejections) {
      done.add('rejected');
      sentBack.add(id);
      await ask('POST', `merges/${id}/review`, { decision: 'Rejected', notes: 'Who tests this?' });
    } else if (kind === 'review') {
      done.add('landed');
      await ask('POST', `merges/${id}/land`, {});
    } else throw new Error(`nothing is done about ${kind}`);
  };
  for (let look = 0; look < LOOKS * rejections; look++) {
    const { goals } = await ask<{ goals: { status: string }[] }>('GET', 'goals');
    if (goals[0]?.status === 'Converged') return [...done].toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
    for (const item of (await ask<{ items: Waiting[] }>('GET', 'attention')).items) await act(item);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the demonstration does not come to its end after ${[...done].join(', ')}`);
}

const ORDER = ['answer', 'failed', 'rejected', 'landed'];
