import { describe, expect, it } from 'vitest';
import type { ModelChoice } from '../record/aggregates/scheduled-item/scheduled-item.js';
import { type HostModels, chooseFrom } from './chosen-model.js';

async function chosen(choice: ModelChoice, host: HostModels, profileId = 'worker', executor?: string) {
  const asked: ModelChoice[] = [];
  const provider = { name: 'any', turn: () => Promise.reject(new Error('not asked')) };
  const models = { provider: (wanted: ModelChoice) => (asked.push(wanted), Promise.resolve(provider)) };
  const { model, price } = await chooseFrom(models, host)(choice, { profileId, executor });
  return { ...asked[0], model, price };
}

const usual = { provider: 'openai', model: 'big', baseUrl: 'http://localhost:1' };

describe('the model that an agent asks', () => {
  it('is the one that was chosen, else that of its profile, else that of its executor, else the usual one', async () => {
    const host = { usual, usualOf: { worker: { provider: 'anthropic', model: 'small' } } };
    expect(await chosen({ provider: 'openai', model: 'own' }, host)).toMatchObject({
      provider: 'openai',
      model: 'own',
    });
    expect(await chosen({}, host, 'worker', 'codex')).toMatchObject({ provider: 'anthropic', model: 'small' });
    expect(await chosen({}, host, 'planner', 'codex')).toMatchObject({ provider: 'codex-cli', model: '' });
    expect(await chosen({}, host, 'planner', 'unheard of')).toMatchObject(usual);
    expect(await chosen({}, host, 'planner', 'native')).toMatchObject(usual);
  });

  it('has nothing of ours when another provider was chosen, and the rest of ours when only a part was', async () => {
    expect(await chosen({ provider: 'anthropic' }, { usual })).toEqual({
      provider: 'anthropic',
      model: '',
      credentialRef: 'anthropic',
    });
    expect(await chosen({ model: 'other' }, { usual })).toMatchObject({ ...usual, model: 'other' });
  });

  it('has its price', async () => {
    const prices = { big: { input: 1, output: 2 } };
    expect((await chosen({}, { usual, prices })).price).toEqual({ input: 1, output: 2 });
    expect((await chosen({ model: 'other' }, { usual, prices })).price).toBeUndefined();
  });

  it('is of a host whose rows can be kept to: one that would cut answers is refused, as in the file of models', () => {
    const rows = { big: { context: 100_000, output: 60_000 } };
    expect(() => chooseFrom({ provider: () => Promise.reject(new Error('not asked')) }, { rows })).toThrow(
      'model "big": answers of 60000 tokens do not fit behind a conversation in a context of 100000: say 40000 or less',
    );
  });

  it('has to be known', async () => {
    await expect(chosen({}, {})).rejects.toMatchObject({ reason: 'reject.model_unknown' });
  });
});
