import { expect, it } from 'vitest';
import { z } from 'zod';
import { askForJson } from './ask-for-json.js';
import type { ModelRequest, ModelTurn, Provider } from './provider.js';

const shape = z.object({ content: z.string().nullable() });
const request = { model: 'm', system: 's', maxTokens: 100, messages: [{ role: 'user' as const, text: 'q' }] };
const { signal } = new AbortController();

function answering(...turns: readonly Partial<ModelTurn>[]): { provider: Provider; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
  const turn: Provider['turn'] = (one) => {
    asked.push(one);
    const said = turns[asked.length - 1] ?? {};
    return Promise.resolve({ text: '', calls: [], stop: 'end', usage, ...said });
  };
  return { provider: { name: 'played', turn }, asked };
}

it('offers the shape as a tool, and takes what it is called with, whatever is said beside it', async () => {
  const call = { callId: 'c', name: 'answer', input: { content: 'whole' } };
  const { provider, asked } = answering({ text: 'Here it is: {"content": "other"}', calls: [call] });
  expect(await askForJson(provider, request, shape, { signal })).toEqual({
    answer: { content: 'whole' },
    text: '{"content":"whole"}',
  });
  const [{ name, input } = { name: '', input: {} }] = asked[0]?.tools ?? [];
  expect(name).toBe('answer');
  expect(input).toMatchObject({ type: 'object', required: ['content'] });
});

it('takes JSON from who calls nothing', async () => {
  const { provider } = answering({ text: 'So: {"content": null}.' });
  expect((await askForJson(provider, request, shape, { signal })).answer).toEqual({ content: null });
});

it('tells what is wrong, and gives up when it is wrong again and again', async () => {
  const wrong = { calls: [{ callId: 'c', name: 'answer', input: { content: 7 } }] };
  const { provider, asked } = answering(wrong, { text: 'no' }, wrong);
  await expect(askForJson(provider, request, shape, { signal })).rejects.toMatchObject({ fault: 'malformed' });
  expect(asked).toHaveLength(3);
  expect(asked[1]?.messages.at(-1)).toMatchObject({ text: expect.stringContaining('content') as string });
  expect(asked[2]?.messages.at(-1)).toMatchObject({ text: expect.stringContaining('It began:\nno') as string });
});
