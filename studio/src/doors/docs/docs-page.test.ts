import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startTestStudio } from '../../testing/test-studio.js';

describe('the reference as a page', () => {
  it('is open, holds nothing, and loads nothing from elsewhere', async () => {
    const studio = await startTestStudio();
    const page = await studio.call('GET', '/studio/docs', { as: undefined });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=UTF-8');
    expect(page.text).not.toMatch(/(src|href)=|https?:|innerHTML|repository/);
  });

  it('lets in exactly its own script and style', async () => {
    const studio = await startTestStudio();
    const { text, headers } = await studio.call('GET', '/studio/docs', { as: undefined });
    const policy = String(headers['content-security-policy']);
    for (const name of ['script', 'style']) {
      const [, inside = ''] = new RegExp(`<${name}>([^]*)</${name}>`).exec(text) ?? [];
      expect(policy).toContain(`${name}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('has a script that can be read', async () => {
    const studio = await startTestStudio();
    const { text } = await studio.call('GET', '/studio/docs', { as: undefined });
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(text) ?? [];
    // Made, not run: it needs a page.
    expect(() => new Function(script)).not.toThrow();
  });
});
