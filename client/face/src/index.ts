/** The face of the studio: a page, and the files that it loads. The studio serves them; nothing here runs on the host. */
import type { Face } from './face.js';

export type { Face, FaceFile } from './face.js';

/** First segments of the page's addresses. */
export const VIEWS = [
  'inbox',
  'goals',
  'units',
  'reviews',
  'recover',
  'candidate',
  'conflicts',
  'knowledge',
  'agents',
  'spend',
  'repositories',
  'audit',
  'time',
  'settings',
  'rooms',
] as const;

export async function loadFace(): Promise<Face> {
  const { face } = await import('./built.js');
  return face;
}
