import { describe, expect, it } from 'vitest';
import type { Notice } from '@weft/core';
import { hasUws } from '../../../test/support/transport-names.js';
import { chooseTransport } from './choose.js';

const noBinary = (): Promise<never> => Promise.reject(new Error('no binary for this platform\n\nError: a long tail'));

describe('chooseTransport', () => {
  it.runIf(hasUws)('takes uws where it loads, in silence', async () => {
    const told: Notice[] = [];
    const transport = await chooseTransport('auto', (notice) => told.push(notice));
    expect(transport.name).toBe('uws');
    expect(told).toEqual([]);
  });

  it('falls back to ws with exactly one line that says why', async () => {
    const told: Notice[] = [];
    const transport = await chooseTransport('auto', (notice) => told.push(notice), noBinary);
    expect(transport.name).toBe('ws');
    expect(told).toEqual([
      {
        level: 'warn',
        message: 'uWebSockets.js does not load here: using the slower ws transport, which behaves the same',
        about: { cause: 'no binary for this platform' },
      },
    ]);
  });

  it('does not replace uws when it was asked for by name', async () => {
    const told: Notice[] = [];
    await expect(chooseTransport('uws', (notice) => told.push(notice), noBinary)).rejects.toThrow(
      'uWebSockets.js does not load here (no binary for this platform); start with --transport ws, or auto',
    );
    expect(told).toEqual([]);
  });

  it('never loads uws when ws was asked for by name', async () => {
    const transport = await chooseTransport('ws', () => undefined, noBinary);
    expect(transport.name).toBe('ws');
  });
});
