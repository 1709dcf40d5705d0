/** Message about something that needs a person, in the words of a webhook: a template whose texts name what they are filled with. */
import type { z } from 'zod';
import type { WebhookWish } from '../../record/aggregates/webhook/webhook.js';
import type { Attention } from '../people/attention-shape.js';

type Item = z.input<typeof Attention>;

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
const MOST_NESTED = 8;
const LONGEST_TEMPLATE = 10_000;
/** Letters of a title, as subjects of mails and first lines of notices have them. */
const LONGEST_TITLE = 120;

const WORDS = {
  title: ({ kind, sentence }: Item) => `${TITLES[kind]}: ${oneLine(sentence)}`.slice(0, LONGEST_TITLE),
  text: (item: Item) => textOf(item),
  sentence: ({ sentence }: Item) => sentence,
  kind: ({ kind }: Item) => kind,
  id: ({ id }: Item) => id,
  goal: ({ goal = '' }: Item) => goal,
  since: ({ since }: Item) => since,
} as const;

const TITLES: Readonly<Record<Item['kind'], string>> = {
  answer: 'A question',
  review: 'A review is wanted',
  land: 'Approved, and wants to land',
  checks: 'Waits for checks',
  conflict: 'A conflict',
  failed: 'Work has failed',
  key: 'A key is missing',
  budget: 'A limit is near',
  held: 'Work is held up',
  paused: 'A goal is paused',
  memory: 'Remember this?',
};

const SHAPES = {
  slack: { text: '*{{title}}*\n{{text}}' },
  mail: { subject: '[Weft] {{title}}', text: '{{text}}' },
} as const;

/** Body of the request that tells of an item. */
export function attentionMessage({ shape = 'json', template }: WebhookWish, webhookId: string, item: Item): object {
  const chosen = template ?? (shape === 'json' ? undefined : SHAPES[shape]);
  if (!chosen) return { webhookId, item };
  // In a message of Slack an angle bracket begins a link, or calls everybody.
  const safe = shape === 'slack' ? withoutMarkup : (text: string) => text;
  return filled(chosen, (word) => safe(plain(WORDS[word](item)))) as object;
}

/** Why a template cannot be filled; undefined where it can. */
export function faultOfTemplate(template: object): string | undefined {
  if (JSON.stringify(template).length > LONGEST_TEMPLATE) return `has more than ${LONGEST_TEMPLATE} letters`;
  if (depthOf(template) > MOST_NESTED) return `is nested deeper than ${MOST_NESTED}`;
  const names = [...JSON.stringify(template).matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  const unknown = names.find((name) => !isWord(name));
  return unknown === undefined ? undefined : `{{${unknown}}} is none of ${Object.keys(WORDS).join(', ')}`;
}

type Word = keyof typeof WORDS;

function isWord(name: string): name is Word {
  return Object.hasOwn(WORDS, name);
}

function filled(value: unknown, said: (word: Word) => string): unknown {
  if (typeof value === 'string')
    return value.replaceAll(PLACEHOLDER, (whole, name: string) => (isWord(name) ? said(name) : whole));
  if (Array.isArray(value)) return value.map((one) => filled(one, said));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, said)]));
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function textOf({ sentence, goal, blocks, options = [], context, id, kind }: Item): string {
  const lines = [
    sentence,
    ...(options.length === 0 ? [] : [`Answers: ${options.join(' / ')}`]),
    ...(context === undefined || context === '' ? [] : [context]),
    ...(goal === undefined ? [] : [`Goal: ${oneLine(goal)}`]),
    ...(blocks === 0 ? [] : [`It holds up ${blocks} ${blocks === 1 ? 'piece' : 'pieces'} of work.`]),
    `${kind} ${id}; weft status shows the command that answers it`,
  ];
  return lines.join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Text without control characters, which would end a header or colour a terminal. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (letter) => (letter === '\n' || letter === '\t' ? letter : '\ufffd'));
}

function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
