import { describe, expect, it } from 'vitest';
import { answerOf, fakeServer, type Played, refused, vendors } from '../../testing/models/fake-vendor.js';
import { fakeProgram } from '../../testing/models/fake-programs.js';
import { SECRET } from '../../testing/models/provider-battery.js';
import { startTestStudio, type TestStudio } from '../../testing/test-studio.js';

const PATH = '/studio/insights/llm-scan';
const rule = {
  kind: 'KnowledgeGuideline',
  title: 'Run the tests first',
  summary: 'Four of five failures were seen by them.',
};
const prompt = { kind: 'PromptImprovement', title: 'Name files', summary: 'Plans are vague.', targetStage: 'Plan' };
const says = (...findings: object[]): Played => ({
  text: `Well:\n\`\`\`json\n${JSON.stringify({ findings })}\n\`\`\``,
});

async function withVendor(played: readonly Played[], studio?: TestStudio) {
  const [vendor] = vendors;
  const server = await fakeServer(played.map((one) => answerOf(vendor, one)));
  const body = { provider: 'anthropic', model: 'some-model', baseUrl: server.url, apiKey: SECRET };
  const own = studio ?? (await startTestStudio());
  return {
    studio: own,
    server,
    body,
    scan: (more: object = {}) => own.call('POST', PATH, { body: { ...body, ...more } }),
  };
}

describe('a scan of the record by a model', () => {
  it('records what is found, once, for people to review', async () => {
    const { studio, scan } = await withVendor([says(rule, prompt), says(rule)]);
    const { status, json } = await scan();
    expect([status, json]).toMatchObject([
      200,
      {
        findings: [
          {
            ...rule,
            source: 'LlmScan',
            status: 'Open',
            supportingDataJson: '{"provider":"anthropic","model":"some-model"}',
          },
          prompt,
        ],
        rawCliOutput: null,
      },
    ]);
    expect((await scan()).json).toEqual({ findings: [], rawCliOutput: null });
    const { json: listed } = await studio.call('GET', '/studio/findings');
    expect(listed).toHaveLength(2);
  });

  it('asks with the key that is named', async () => {
    const { studio, body, server } = await withVendor([says(rule)]);
    await studio.call('POST', '/studio/credentials', { body: { credentialRef: 'of-ann', apiKey: SECRET } });
    const { apiKey: _given, ...rest } = body;
    expect(await studio.call('POST', PATH, { body: { ...rest, credentialRef: 'of-ann' } })).toMatchObject({
      status: 200,
    });
    expect(server.headers.map((one) => one.authorization)).toEqual([`Bearer ${SECRET}`]);
  });

  it('gives the model what failed, which rules hold and what was found, and keeps the key to itself', async () => {
    const { studio, scan, server } = await withVendor([says(rule), says()]);
    await studio.call('POST', '/studio/constraints', {
      body: { title: 'No tabs', body: 'Two blanks.', reach: 'Workgroup', repoSpecific: false },
    });
    await studio.call('POST', '/studio/constraints', {
      body: { title: 'A secret rule', body: 'Of ours.', reach: 'Private', repoSpecific: false },
    });
    await scan();
    await scan();
    const told = server.asked[1] ?? '';
    expect(told).toContain('No tabs');
    expect(told).toContain('Run the tests first');
    expect(told).not.toContain('A secret rule');
    expect(server.headers[0]?.authorization).toBe(`Bearer ${SECRET}`);
    const events = await studio.call('GET', '/studio/replay/timeline');
    expect(events.text + JSON.stringify(studio.log)).not.toContain(SECRET);
  });

  it('asks again when the answer has another form, and gives up in the end', async () => {
    const wrong = says({ kind: 'Rumour', title: 'x', summary: 'y' });
    const once = await withVendor([{ text: 'I found nothing, sorry.' }, wrong, says(rule)]);
    expect((await once.scan()).json).toMatchObject({ findings: [rule] });
    expect(once.server.asked[2]).toContain('not in the form');
    expect(once.server.asked[2]).toContain('Rumour');
    const always = await withVendor([wrong]);
    expect(await always.scan()).toMatchObject({
      status: 422,
      json: { code: 'reject.model_unavailable', retryable: true },
    });
    expect(always.server.asked).toHaveLength(3);
  });

  it('over a program, what it said comes with it', async () => {
    const fake = await fakeProgram('claude', [says(rule)]);
    // It runs where the studio says; the fake one finds its lines in a folder of its own.
    const [node = '', script = ''] = fake.command;
    const inFolder = `process.chdir(${JSON.stringify(fake.folder)}); await import(${JSON.stringify(script)})`;
    const command = [node, '--input-type=module', '-e', inFolder, '--'];
    const studio = await startTestStudio(undefined, { models: { commands: { 'claude-cli': command } } });
    const { status, json } = await studio.call('POST', PATH, { body: { provider: 'claude-cli' } });
    expect([status, json]).toMatchObject([200, { findings: [rule] }]);
    expect(json).toMatchObject({ rawCliOutput: expect.stringContaining('"findings"') as string });
  });

  it('says what is wrong', async () => {
    const { studio, scan, body } = await withVendor(['no-right']);
    const { provider: _, ...without } = body;
    expect(await studio.call('POST', PATH, { body: without })).toMatchObject({ status: 400 });
    expect(await scan({ provider: 'somebody' })).toMatchObject({ status: 400, json: { code: 'reject.invalid_input' } });
    expect(await scan({ model: undefined })).toMatchObject({ status: 400, json: { code: 'reject.invalid_input' } });
    const noRight = await scan();
    expect(noRight).toMatchObject({
      status: 422,
      json: { code: 'reject.model_refused', details: { fault: 'unauthorized' } },
    });
    expect(noRight.text).not.toContain(SECRET);
    expect(await scan({ apiKey: undefined, credentialRef: 'unknown' })).toMatchObject({
      status: 422,
      json: { code: 'reject.model_refused' },
    });
  });

  it('does not wait for a vendor that asks for an hour', async () => {
    const server = await fakeServer([refused(429, {}, { 'retry-after': '3600' })]);
    const studio = await startTestStudio();
    const body = { provider: 'openai', model: 'm', baseUrl: server.url };
    expect(await studio.call('POST', PATH, { body })).toMatchObject({
      status: 422,
      json: { code: 'reject.model_unavailable', details: { fault: 'rate-limited', retryAfterMs: 3_600_000 } },
    });
  });

  it('ends when the studio ends', async () => {
    const { studio, server, scan } = await withVendor(['hang']);
    const answer = scan();
    while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await studio.close();
    expect((await answer).status).toBeGreaterThanOrEqual(422);
    await server.quiet();
  });
});
