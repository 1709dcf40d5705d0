import { describe, expect, it } from 'vitest';
import { chooseTransport } from './choose.js';

const noBinary = (): Promise<never> => Promise.reject(new Error('no binary for this platform\n\nError: a long tail'));

describe('chooseTransport', () => {
  it('takes uws where it loads, in silence', async () => {
    const lines: string[] = [];
    const transport = await chooseTransport('auto', (line) => lines.push(line));
    expect(transport.name).toBe('uws');
    expect(lines).toEqual([]);
  });

  it('falls back to ws with exactly one line that says why', async () => {
    const lines: string[] = [];
    const transport = await chooseTransport('auto', (line) => lines.push(line), noBinary);
    expect(transport.name).toBe('ws');
    expect(lines).toEqual([
      'uWebSockets.js does not load here (no binary for this platform); using the slower ws transport, which behaves the same',
    ]);
  });

  it('does not replace uws when it was asked for by name', async () => {
    const lines: string[] = [];
    await expect(chooseTransport('uws', (line) => lines.push(line), noBinary)).rejects.toThrow(
      'uWebSockets.js does not load here (no binary for this platform); start with --transport ws, or auto',
    );
    expect(lines).toEqual([]);
  });

  it('never loads uws when ws was asked for by name', async () => {
    const transport = await chooseTransport('ws', () => undefined, noBinary);
    expect(transport.name).toBe('ws');
  });
});
