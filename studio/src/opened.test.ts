import { describe, expect, it } from 'vitest';
import { Opened } from './opened.js';

describe('what a start has opened', () => {
  it('is ended the newest first, one after the other, and each once', async () => {
    const opened = new Opened();
    const ended: string[] = [];
    const ending = (name: string) => async (): Promise<void> => {
      await Promise.resolve();
      ended.push(name);
    };
    opened.add(ending('first'));
    const endSecond = opened.add(ending('second'));
    opened.add(ending('third'));
    await Promise.all([endSecond(), endSecond()]);
    await opened.end();
    await opened.end();
    expect(ended).toEqual(['second', 'third', 'first']);
  });

  it('is ended whole where one end fails, which is told then', async () => {
    const opened = new Opened();
    let isEnded = false;
    opened.add(() => void (isEnded = true));
    opened.add(() => {
      throw new Error('stuck');
    });
    await expect(opened.end()).rejects.toThrow('stuck');
    expect(isEnded).toBe(true);
  });
});
