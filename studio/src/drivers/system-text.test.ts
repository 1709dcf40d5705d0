import { describe, expect, it } from 'vitest';
import { BUILT_IN_PROFILES } from '../record/aggregates/agent-profile/built-in.js';
import { observerText, systemTextOf } from './system-text.js';

/** Words in backticks that look like tools. */
const toolsIn = (text: string): string[] => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name!);

describe('the role of an agent', () => {
  it.each(BUILT_IN_PROFILES.map((profile) => [profile.agentProfileId, profile] as const))(
    '%s says what it is given and how it works, and names no tool that it does not have',
    (_, profile) => {
      const text = systemTextOf(profile);
      const lines = text.split('\n').length;
      expect(lines).toBeGreaterThanOrEqual(40);
      expect(lines).toBeLessThan(120);
      // Some three characters a token: no role costs more than three thousand of them.
      expect(text.length).toBeLessThan(9000);
      expect(text).toContain('What you are given\n');
      expect(text).toContain('How you work\n');
      expect(toolsIn(text).filter((name) => !profile.allowedTools.includes(name))).toEqual([]);
      expect(text).not.toMatch(/[{}]/);
    },
  );

  it('of an observer has its name and domain', () => {
    const text = observerText('SecurityAgent', ['tokens', 'keys']);
    expect(text).toMatch(/^You are SecurityAgent\..*one domain: tokens, keys\./);
    expect(text).not.toMatch(/[{}]/);
    expect(text.split('\n').length).toBeGreaterThanOrEqual(40);
    expect(text.length).toBeLessThan(6000);
  });
});
