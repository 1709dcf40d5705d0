/** The root of the studio's door: a page that holds nothing, and links that open it once. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { startTestStudio, testTokens } from '../testing/test-studio.js';

it('is open, holds nothing of the host, and lets in its own script and style alone', async () => {
  const studio = await startTestStudio();
  const { status, text, headers } = await studio.call('GET', '/', { as: undefined });
  expect(status).toBe(200);
  expect(text).not.toMatch(/src=|https?:|innerHTML/);
  const policy = String(headers['content-security-policy']);
  for (const name of ['script', 'style']) {
    const [, inside = ''] = new RegExp(`<${name}>([^]*)</${name}>`).exec(text) ?? [];
    expect(policy).toContain(`${name}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'`);
    if (name === 'script') expect(() => new Function(inside)).not.toThrow();
  }
});

it('a link lets in whoever opens it first, for ten minutes, and nobody after', async () => {
  const steady = new ManualClock(0);
  const studio = await startTestStudio(undefined, { steady });
  const codeOf = (link: string) => /^http:\/\/127\.0\.0\.1:\d+\/#code=([0-9a-f]{32})$/.exec(link)?.[1] ?? '';
  const redeem = (code: string) => studio.call('POST', `/studio/codes/${code}`, { as: undefined });
  const code = codeOf(studio.link());
  expect(await redeem(code)).toMatchObject({ status: 200, json: { token: testTokens.operate } });
  expect(await redeem(code)).toMatchObject({ status: 401 });
  expect(await redeem('0'.repeat(32))).toMatchObject({ status: 401 });
  const late = codeOf(studio.link());
  steady.jump(600_001);
  expect(await redeem(late)).toMatchObject({ status: 401 });
  const foreign = codeOf(studio.link());
  const headers = { origin: 'https://example.org' };
  expect(await studio.call('POST', `/studio/codes/${foreign}`, { as: undefined, headers })).toMatchObject({
    status: 403,
  });
  const first = codeOf(studio.link());
  for (let more = 0; more < 20; more++) studio.link();
  expect(await redeem(first)).toMatchObject({ status: 401 });
});
