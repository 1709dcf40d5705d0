/** Waits for what goes over a network, and shows how far it is where somebody looks. */
import { systemClock } from '@weft/core/clock';
import type { StudioClient } from '../studio/studio-client.js';
import type { Terminal } from '../syntax/define.js';

interface Transfer {
  readonly of: string;
  readonly phase: string;
  readonly percent: number | null;
}

const EVERY_MS = 500;

export async function transferred<T>(
  client: StudioClient,
  of: string,
  terminal: Terminal,
  work: Promise<T>,
): Promise<T> {
  if (!terminal.isInteractive) return work;
  const { clock = systemClock } = terminal;
  let isOver = false;
  let cancel = (): void => undefined;
  const look = async (): Promise<void> => {
    const all = await client.call<Transfer[]>('remote.transfers').catch(() => []);
    if (isOver) return;
    const mine = all.find((one) => one.of === of);
    if (mine) terminal.status(mine.percent === null ? mine.phase : `${mine.phase}: ${mine.percent} %`);
    cancel = clock.after(EVERY_MS, () => void look());
  };
  cancel = clock.after(EVERY_MS, () => void look());
  try {
    return await work;
  } finally {
    isOver = true;
    cancel();
  }
}
