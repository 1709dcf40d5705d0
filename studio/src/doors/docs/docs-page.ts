/**
 * API reference as a web page, from the host itself: nothing is loaded from elsewhere, so it works without a network.
 *
 * The page is open to everyone because it holds nothing; what it shows it fetches with the reader's token, which stays in the
 * tab.
 */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
input { font: inherit; padding: 0.3rem; width: min(100%, 34rem); }
section { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: 0.5rem 0; }
summary { cursor: pointer; }
code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
td, th { text-align: left; vertical-align: top; padding: 0.2rem 0.8rem 0.2rem 0; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600; }
`;

// Escaping: every text goes in as text, never as markup, whoever wrote it.
const SCRIPT = `
const $ = (name, text, ...inside) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  element.append(...inside);
  return element;
};
const at = (whole, reference) => reference.split('/').slice(1).reduce((value, step) => value?.[step], whole);
const open = (whole, value) => (value?.$ref ? { ...at(whole, value.$ref), ...value } : (value ?? {}));
const typeOf = (whole, value) => {
  const schema = open(whole, value);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(whole, one)).join(' or ');
  if (schema.type === 'array') return typeOf(whole, schema.items) + '[]';
  return [].concat(schema.type ?? 'any').join(' or ');
};
const table = (head, rows) =>
  rows.length === 0
    ? ''
    : $('table', undefined, $('tr', undefined, ...head.map((text) => $('th', text))), ...rows.map((cells) =>
        $('tr', undefined, ...cells.map((text) => $('td', text)))));
const fields = (whole, value) => {
  const schema = open(whole, value);
  if (schema.type === 'array') return fields(whole, schema.items);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name + (schema.required?.includes(name) ? '' : '?'), typeOf(whole, field), open(whole, field).description ?? '']);
};
const operation = (whole, method, path, declared) => {
  const parameters = (declared.parameters ?? []).map((one) => open(whole, one)).map((one) =>
    [one.name + (one.required ? '' : '?'), one.in, typeOf(whole, one.schema), one.description ?? '']);
  const body = Object.values(declared.requestBody?.content ?? {})[0]?.schema;
  const given = Object.values(declared.responses['200'].content ?? {})[0]?.schema;
  const inBody = fields(whole, body).map(([name, type, text]) => [name, 'body', type, text]);
  return $('details', undefined,
    $('summary', undefined, Object.assign($('span', method.toUpperCase()), { className: 'method' }), ' ', $('code', path), ' – ' + declared.summary),
    $('p', 'Scope: ' + declared['x-weft-scope']),
    table(['Field', 'In', 'Type', 'Meaning'], [...parameters, ...inBody]),
    table(['Result', 'Type', 'Meaning'], fields(whole, given)),
    table(['Status', 'When'], Object.entries(declared.responses).filter(([status]) => status !== '200')
      .map(([status, one]) => [status, open(whole, one).description])));
};
const show = (whole) => {
  const nouns = new Map();
  for (const [path, methods] of Object.entries(whole.paths))
    for (const [method, declared] of Object.entries(methods)) {
      const [noun] = declared.tags;
      nouns.set(noun, [...(nouns.get(noun) ?? []), operation(whole, method, path, declared)]);
    }
  document.querySelector('main').replaceChildren(
    ...[...nouns].sort(([a], [b]) => (a < b ? -1 : 1)).map(([noun, all]) => $('section', undefined, $('h2', noun), ...all)));
};
const token = document.querySelector('input');
const load = async () => {
  if (token.value === '') return;
  const said = document.querySelector('output');
  const answer = await fetch('/studio/openapi.json', { headers: { authorization: 'Bearer ' + token.value } });
  if (!answer.ok) return void (said.textContent = (await answer.json()).error);
  sessionStorage.setItem('token', token.value);
  said.textContent = '';
  show(await answer.json());
};
token.value = sessionStorage.getItem('token') ?? '';
token.addEventListener('change', load);
load();
`;

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft Studio</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Weft Studio</h1>
<p><label>Token, from studio.tokens.json: <input type="password" autocomplete="off"></label> <output></output></p>
<main></main>
<script>${SCRIPT}</script>
</body>
</html>
`;

/** Content security policy: this script and this style only, requests to the host only, no frames. */
export const DOCS_POLICY = [
  ...["default-src 'none'", `script-src '${hashOf(SCRIPT)}'`, `style-src '${hashOf(STYLE)}'`, "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
