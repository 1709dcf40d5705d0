/** Waits until something holds that a studio brings about by itself: looked at after every event, never by the clock. */
import type { Feed } from '../record/ledger/feed.js';

export async function until(feed: Feed, holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const stop = feed.onEvent(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });
}
