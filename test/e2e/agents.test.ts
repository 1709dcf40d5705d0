/** The flags of `weft studio` that say whether agents work, with which model, and for how much. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';

/**
 * Vendor of models that speaks like OpenAI's API and says each time that something was found. Answers its address, and
 * the models asked for.
 */
async function vendor(): Promise<{ readonly url: string; readonly models: readonly string[] }> {
  const models: string[] = [];
  const input = JSON.stringify({ type: 'Research', title: 'Found', body: 'it' });
  const call = {
    index: 0,
    id: 'call_0',
    type: 'function',
    function: { name: 'svc_v1_artifact_record', arguments: input },
  };
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 900, completion_tokens: 10 } },
  ];
  const stream = chunks.map((chunk) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...chunk })}\n\n`);
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString('utf8')));
    request.on('end', () => {
      models.push((JSON.parse(body) as { model: string }).model);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${stream.join('')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, models };
}

async function studio(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  command: 'studio' | 'up' = 'studio',
) {
  const folder = await tempFolder();
  const listen = command === 'up' ? ['--studio-listen', '127.0.0.1:0'] : [];
  const all = [command, '--listen', '127.0.0.1:0', ...listen, '--store', folder, ...flags];
  const program = new WeftRun(all, { env });
  const [, url] = await program.line(/(http:\S+)$/);
  const { admin } = JSON.parse(await readFile(join(folder, 'studio.tokens.json'), 'utf8')) as { admin: string };
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${url}/${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (answer.status !== 200) throw new Error(await answer.text());
    return (await answer.json()) as T;
  };
  const begin = async (goal: string): Promise<string> => {
    const given = { goal, expectedOutputKind: 'KnowledgeArtifact' };
    const { workUnitId } = await ask<{ workUnitId: string }>('POST', 'workunits', given);
    await ask('POST', 'scheduler/enqueue', { workUnitId, profileId: 'worker' });
    return workUnitId;
  };
  /** Follows the unit until it has one of these states. */
  const until = async (id: string, ...wanted: readonly string[]): Promise<string> => {
    for (let looks = 0; ; looks++) {
      const { status } = await ask<{ status: string }>('GET', `workunits/${id}`);
      if (wanted.includes(status) || looks > 500) return status;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { ask, begin, until, err: program.err };
}

describe('weft studio', () => {
  it('--model names the model of agents, and WEFT_MODEL_URL where it is', async () => {
    const { url, models } = await vendor();
    const { begin, until } = await studio(['--model', 'openai/gpt-x'], { WEFT_MODEL_URL: url });
    expect(await until(await begin('find it'), 'Completed', 'DeadLettered')).toBe('Completed');
    expect(models).toEqual(['gpt-x']);
  });

  it('--goal-tokens bounds what a goal may cost: then it waits for a person, who is told why', async () => {
    const { url, models } = await vendor();
    const flags = ['--model', 'openai/gpt-x', '--goal-tokens', '2000'];
    const { ask, begin, until } = await studio(flags, { WEFT_MODEL_URL: url });
    expect(await until(await begin('find it'), 'Waiting', 'Completed')).toBe('Waiting');
    expect(await ask('GET', 'goals')).toMatchObject({
      goals: [{ status: 'Paused', pauseReason: 'nothing is left of the tokens of the goal' }],
    });
    expect(models).toEqual([]);
  });

  it('--agents off leaves all work to others', async () => {
    const { url, models } = await vendor();
    const { begin, until } = await studio(['--agents', 'off', '--model', 'openai/x'], { WEFT_MODEL_URL: url });
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(await begin(`find ${n}`));
    for (const id of ids) expect(await until(id, 'Queued', 'Completed')).toBe('Queued');
    expect(models).toEqual([]);
  });

  it('writes lines as the room server does, and says what to do where no model was chosen', async () => {
    for (const [command, format] of [
      ['studio', 'json'],
      ['studio', 'text'],
      ['up', 'json'],
    ] as const) {
      const { begin, until, err } = await studio(['--log-format', format], {}, command);
      const id = await begin('find it');
      expect(await until(id, 'DeadLettered')).toBe('DeadLettered');
      const said =
        'no model was chosen: start the host with --model, or name a provider when the work is begun or requeued';
      const line = err.find((one) => one.includes(said))!;
      if (format === 'text')
        expect(line).toMatch(/^\S+Z error an agent failed workUnitId=wu-\w+ "no model was chosen: .*"$/);
      else {
        const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
        expect(JSON.parse(line)).toEqual({
          time,
          level: 'error',
          message: 'an agent failed',
          workUnitId: id,
          error: said,
        });
      }
    }
    const { begin, until, err } = await studio(['--log-level', 'error']);
    await until(await begin('find it'), 'DeadLettered');
    expect(err.filter((line) => line.includes('"level"'))).toHaveLength(1);
  });

  it.each([
    [['--model', '/gpt-x'], 'not /gpt-x'],
    [['--goal-tokens', 'many'], '--goal-tokens takes a number, not many'],
    [['--goal-tokens', '0'], '--goal-tokens takes a number, not 0'],
    [['--agents', 'perhaps'], '--agents'],
  ])('%j is refused at once', async (flags, why) => {
    const program = new WeftRun(['studio', '--listen', '127.0.0.1:0', '--store', 'memory', ...flags]);
    expect(await program.ended).not.toBe(0);
    expect(program.err.join('\n')).toContain(why);
  });
});
