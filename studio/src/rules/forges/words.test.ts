import { describe, expect, it } from 'vitest';
import type { ForgeConnection } from '../../record/aggregates/forge/forge.js';
import { proposal } from '../../testing/work/proposal.js';
import type { Issue, Said } from '../../workspace/forges/forge.js';
import { calls, isHeard, isWanted, saidTo } from './issues.js';
import { replaced, titleOf } from './words.js';

const [BEGIN, END] = ['<!-- weft:begin -->', '<!-- weft:end -->'];
const fresh = `${BEGIN}\n\nnew\n\n${END}`;

describe('what is written at a forge', () => {
  it('takes the place of what the studio has written before, and of nothing that people have written around it', () => {
    const old = `Of ann.\n\n${BEGIN}\n\nold\n\n${END}\n\nOf bob.\n`;
    expect(replaced(old, fresh)).toBe(`Of ann.\n\n${fresh}\n\nOf bob.\n`);
    expect(replaced(replaced(old, fresh), fresh)).toBe(replaced(old, fresh));
  });

  it('stands below what people have written where there is nothing of the studio, or half of it', () => {
    expect(replaced(' \n', fresh)).toBe(fresh);
    expect(replaced('Of ann.\n', fresh)).toBe(`Of ann.\n\n${fresh}`);
    for (const old of [`${END} and ${BEGIN}`, `Of ann.\n${BEGIN}`])
      expect(replaced(old, fresh)).toBe(`${old}\n\n${fresh}`);
  });

  it('has the first line of the summary for a title, without what would make a draft of it, and no longer than 120 signs', () => {
    const titled = (summary: string, goal = 'the goal') => titleOf(proposal({ summary, goal }));
    expect(titled('WIP: [Draft] Sum numbers\nand more')).toBe('Sum numbers');
    expect(titled('\n draft: \n(draft) Second')).toBe('Second');
    expect(titled('wip:')).toBe('the goal');
    expect(titled('a'.repeat(120))).toBe('a'.repeat(120));
    expect(titled('a'.repeat(121))).toBe(`${'a'.repeat(119)}…`);
  });
});

describe('what people write at a forge', () => {
  it('calls the studio by its word alone, and not where it quotes somebody or hides it', () => {
    for (const text of ['@weft do it', 'Please, @Weft!', '(@weft)']) expect(calls(text, '@weft')).toBe(true);
    for (const text of ['@weftling do it', 'a@weft', '> @weft do it', '<!-- @weft -->', 'weft'])
      expect(calls(text, '@weft')).toBe(false);
  });

  it('says to it what stands around that word', () => {
    expect(saidTo('@weft do it', '@weft')).toBe('do it');
    expect(saidTo('Please, @Weft do it', '@weft')).toBe('Please,  do it');
    expect(saidTo('> @weft do it\nNo.', '@weft')).toBe('No.');
    expect(saidTo('> only quoted', '@weft')).toBe('');
  });

  const said = (mayWrite: boolean, isBot: boolean, text = ''): Said => ({
    ...{ id: '1', author: 'ann', at: '2026-01-01T00:00:00.000Z' },
    ...{ mayWrite, isBot, text },
  });

  it('counts where a person may write to the repository', () => {
    const all = [said(true, false), said(false, false), said(true, true), said(false, true)];
    expect(all.map(isHeard)).toEqual([true, false, false, false]);
  });

  it('wants an issue taken by its label, or by who may write and calls the studio, while it is open', () => {
    const wanted = (more: Partial<Issue>): boolean =>
      isWanted({ label: 'weft', mention: '@weft' } as ForgeConnection, {
        ...{ number: 1, title: 't', body: '', author: 'ann', authorMayWrite: false, url: '' },
        ...{ isOpen: true, labels: [], comments: [] },
        ...more,
      });
    for (const more of [
      { labels: ['weft'] },
      { body: '@weft', authorMayWrite: true },
      { comments: [said(true, false, '@weft')] },
    ]) {
      expect(wanted(more)).toBe(true);
      expect(wanted({ ...more, isOpen: false })).toBe(false);
    }
    const others = [said(false, false, '@weft'), said(true, true, '@weft'), said(true, false, 'weft')];
    for (const more of [{}, { labels: ['other'] }, { body: '@weft' }, { comments: others }])
      expect(wanted(more)).toBe(false);
  });
});
