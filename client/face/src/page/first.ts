/**
 * First script of the page, which waits for no other: exchanges the code of a link, and asks for what every view and the inbox show,
 * while the rest is on its way. It imports nothing and draws nothing; without it all of that is asked a little later.
 */
const asked = new Map<string, Promise<Response>>();
Object.assign(globalThis, { weftAsked: asked });

function ask(key: string, answer: Promise<Response>): void {
  asked.set(key, answer);
  // Whoever takes it hears of its failure; nobody has to.
  answer.catch(() => undefined);
}

/** Half of the page's key that this browser keeps: of the link that opens it, or of one before where that is no good. */
async function pageHalf(): Promise<string> {
  const code = /^#code=([0-9a-f]{32})$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    const path = `/studio/codes/${code}`;
    const answer = fetch(path, { method: 'POST', credentials: 'same-origin' });
    ask(
      `POST ${path}`,
      answer.then((one) => one.clone()),
    );
    const mine = (await answer).clone();
    if (mine.ok) return String((await mine.json()).page);
  }
  return String(JSON.parse(localStorage.getItem('weft.page') ?? 'null').page);
}

const half = pageHalf();
for (const path of ['/studio/attention', ...(/^\/(?:inbox)?$/.test(location.pathname) ? ['/studio/agents'] : [])])
  ask(
    `GET ${path}`,
    half.then((page) => fetch(path, { credentials: 'same-origin', headers: { 'x-weft-page': page } })),
  );
export {};
