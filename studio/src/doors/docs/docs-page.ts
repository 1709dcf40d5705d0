/**
 * API reference as a web page, from the host itself: nothing is loaded from elsewhere, so it works without a network.
 *
 * The page is open to everyone, and so is what it shows: the shape of the API is the same for all. What is tried is asked with the
 * reader's token, which stays in the tab.
 */
import { ownPage } from './own-page.js';

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
// A browser that the studio's page is open in is let in as that page is.
const letIn = () => {
  const { page } = JSON.parse(localStorage.getItem('weft.page') ?? '{}');
  return token.value === '' && page ? { 'x-weft-page': page } : { authorization: 'Bearer ' + token.value };
};
const tryIt = (method, path, names, hasBody) => {
  const inputs = new Map(names.map((name) => [name, Object.assign($('input'), { placeholder: name })]));
  const body = Object.assign($('textarea'), { value: '{}', rows: 3 });
  const answer = $('pre');
  const send = async () => {
    const left = new URLSearchParams();
    let at = path;
    for (const [name, { value }] of inputs)
      if (at.includes('{' + name + '}')) at = at.replace('{' + name + '}', encodeURIComponent(value));
      else if (value !== '') left.append(name, value);
    const asked = { method, headers: letIn() };
    if (hasBody) Object.assign(asked.headers, { 'content-type': 'application/json' });
    try {
      const got = await fetch(at + (left.size ? '?' + left : ''), hasBody ? { ...asked, body: body.value } : asked);
      answer.textContent = got.status + '\\n' + JSON.stringify(await got.json(), null, 2);
    } catch (error) {
      answer.textContent = error.message;
    }
  };
  const button = $('button', 'Try it');
  button.addEventListener('click', send);
  return $('p', undefined, ...[...inputs.values()].flatMap((input) => [input, ' ']), ...(hasBody ? [body, ' '] : []), button, answer);
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
    tryIt(method.toUpperCase(), path, (declared.parameters ?? []).map((one) => open(whole, one)).filter((one) => one.in !== 'header').map((one) => one.name), body !== undefined),
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
const token = document.querySelector('#token');
token.value = sessionStorage.getItem('token') ?? '';
token.addEventListener('change', () => sessionStorage.setItem('token', token.value));
const wanted = document.querySelector('#search');
const search = () => {
  const words = wanted.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  for (const section of document.querySelectorAll('section')) {
    const all = [...section.querySelectorAll('details')];
    for (const one of all) one.hidden = !words.every((word) => one.textContent.toLowerCase().includes(word));
    section.hidden = all.every((one) => one.hidden);
  }
};
wanted.addEventListener('input', search);
const load = async () => {
  show(await (await fetch('/studio/openapi.json')).json());
  search();
};
load();
`;

const BODY = `<p><label>Search: <input id="search" type="search" autocomplete="off"></label></p>
<p><label>Token, to try it (weft token show; none where the page of the studio is open in this browser): <input id="token" type="password" autocomplete="off"></label></p>
<main></main>`;

export const DOCS_PAGE = ownPage({ style: STYLE, body: BODY, script: SCRIPT });
