/** Demonstration played over REST, by somebody whom its link has let in. */

type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

interface Waiting {
  readonly kind: string;
  readonly id: string;
  readonly workUnitId?: string;
}

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

/** Takes one way out of its failure, sends its first result back, lands the second. Answers what was done, each once. */
export async function playToItsEnd(ask: Ask, way: string): Promise<readonly string[]> {
  const { goal } = await ask<{ goal: object }>('GET', 'demonstration');
  const [repository] = await ask<{ repositoryId: string }[]>('GET', 'repositories');
  await ask('POST', 'goals/run', { ...goal, repositoryId: repository?.repositoryId });
  const done = new Set<string>();
  const act = async ({ kind, id, workUnitId }: Waiting): Promise<void> => {
    if (kind === 'answer') {
      done.add(kind);
      await ask('POST', `clarifications/${workUnitId}/respond`, { response: '3', respondedBy: 'a person' });
    } else if (kind === 'failed') {
      done.add(kind);
      await ask('POST', `dead-letter/${id}/${way}`, way.endsWith('context') ? { steeringContext: 'Read less.' } : {});
    } else if (kind === 'review' && !done.has('rejected')) {
      done.add('rejected');
      await ask('POST', `merges/${id}/review`, { decision: 'Rejected', notes: 'Who tests this?' });
    } else if (kind === 'review') {
      done.add('landed');
      await ask('POST', `merges/${id}/land`, {});
    } else throw new Error(`nothing is done about ${kind}`);
  };
  for (let look = 0; look < LOOKS; look++) {
    const { goals } = await ask<{ goals: { status: string }[] }>('GET', 'goals');
    if (goals[0]?.status === 'Converged') return [...done].toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
    for (const item of (await ask<{ items: Waiting[] }>('GET', 'attention')).items) await act(item);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the demonstration does not come to its end after ${[...done].join(', ')}`);
}

const ORDER = ['answer', 'failed', 'rejected', 'landed'];
