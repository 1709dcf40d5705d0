/**
 * First script of the page, which waits for no other: exchanges the code of a link, and asks for what every view and the inbox show,
 * in one question where there is a code, while the rest is on its way. It imports nothing and draws nothing; without it all of that is asked a little later.
 */
const asked = new Map<string, Promise<Response>>();
Object.assign(globalThis, { weftAsked: asked });

function ask(key: string, answer: Promise<Response>): void {
  asked.set(key, answer);
  // Whoever takes it hears of its failure; nobody has to.
  answer.catch(() => undefined);
}

/** What every view shows, and what the inbox does. */
const reads = ['/studio/attention', ...(/^\/(?:inbox)?$/.test(location.pathname) ? ['/studio/agents'] : [])];

interface Entered {
  /** Half of the page's key that this browser keeps. */
  readonly page: string;
  /** Answers that came with it, by their paths. */
  readonly reads?: Readonly<Record<string, string>>;
}

/** Lets the page in by the link that opens it, or as it was before where that is no good. */
async function entered(): Promise<Entered> {
  const code = /^#code=([0-9a-f]{32})$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    const path = `/studio/codes/${code}`;
    const answer = fetch(`${path}?${reads.map((one) => `read=${one}`).join('&')}`, {
      method: 'POST',
      credentials: 'same-origin',
    });
    ask(
      `POST ${path}`,
      answer.then((one) => one.clone()),
    );
    const mine = (await answer).clone();
    if (mine.ok) return await mine.json();
  }
  return JSON.parse(localStorage.getItem('weft.page') ?? 'null');
}

const isIn = entered();
for (const path of reads)
  ask(
    `GET ${path}`,
    isIn.then(({ page, reads: came }) =>
      came?.[path] === undefined
        ? fetch(path, { credentials: 'same-origin', headers: { 'x-weft-page': page } })
        : new Response(came[path]),
    ),
  );
export {};
