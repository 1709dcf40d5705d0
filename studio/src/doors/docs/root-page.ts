/**
 * Page at the root of the studio: what runs, and how to connect. It holds nothing: a link that carries a one-time code lets it ask,
 * and nothing is loaded from elsewhere.
 */
import { ownPage } from './own-page.js';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: 0.6rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: 0.2rem 0.8rem 0.2rem 0; }
`;

const SCRIPT = `
const said = document.querySelector('output');
const row = (cells) => {
  const line = document.createElement('tr');
  for (const text of cells) {
    const cell = document.createElement('td');
    cell.textContent = text;
    line.append(cell);
  }
  return line;
};
const ask = async (path, token, method = 'GET') => {
  const answer = await fetch(path, { method, headers: token ? { authorization: 'Bearer ' + token } : {} });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
};
const begin = async () => {
  const code = /^#code=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (code) {
    history.replaceState(null, '', location.pathname);
    sessionStorage.setItem('token', (await ask('/studio/codes/' + code, undefined, 'POST')).token);
  }
  const token = sessionStorage.getItem('token');
  if (!token) return void (said.textContent = 'To see what runs, open the link that "weft up" has printed');
  const { goals } = await ask('/studio/goals', token);
  const repositories = await ask('/studio/repositories', token);
  document.querySelector('#goals').replaceChildren(...goals.map(({ goal, status }) => row([status, goal.split('\\n')[0]])));
  document.querySelector('#repositories').replaceChildren(...repositories.map(({ label, path }) => row([label ?? '', path])));
  said.textContent = goals.length === 0 ? 'No goal was set yet: weft run "what is to be achieved"' : '';
};
begin().catch((error) => (said.textContent = error.message));
`;

const BODY = `<p>Coding agents, over your git repositories. <output></output></p>
<h2>Goals</h2>
<table id="goals"></table>
<h2>Repositories</h2>
<table id="repositories"></table>
<h2>Set a goal</h2>
<pre>cd your-project
weft run "what is to be achieved"
weft status</pre>
<h2>Connect a tool</h2>
<pre>weft mcp install claude   # or codex, cursor, vscode
weft token show           # for programs that speak to the doors below</pre>
<p><a href="/studio/docs">The API, with search and try it</a>; tools by the Model Context Protocol at <code>/mcp</code>.</p>`;

export const ROOT_PAGE = ownPage({ style: STYLE, body: BODY, script: SCRIPT });
