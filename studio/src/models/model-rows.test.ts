import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactAt, rowOf } from './model-rows.js';

describe('the row of a model', () => {
  it('has room for its longest answer behind the longest conversation, whatever a person has said of both', () => {
    const tokens = fc.integer({ min: 1000, max: 2_000_000 });
    const named = fc.constantFrom('claude-opus-5-5', 'gpt-6-sol', 'gemini-3-pro', 'somebody-elses');
    fc.assert(
      fc.property(named, tokens, fc.option(tokens, { nil: undefined }), (model, context, output) => {
        const row = rowOf(model, { context, output });
        expect(row.output).toBeGreaterThan(0);
        expect(compactAt(row) + row.output).toBeLessThanOrEqual(context);
        expect(compactAt(row)).toBeGreaterThanOrEqual(Math.min(200_000, context / 2));
      }),
    );
  });

  it('gives as much as was said where there is room for it', () => {
    expect(rowOf('qwen', { context: 65_536, output: 8192 })).toMatchObject({ context: 65_536, output: 8192 });
    expect(rowOf('claude-opus-5-5')).toMatchObject({ context: 1_000_000, output: 64_000 });
    expect(rowOf('claude-opus-5-5', { context: 30_000 })).toMatchObject({ context: 30_000, output: 12_000 });
  });
});
