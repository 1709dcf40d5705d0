/** Notices of forges: whether one is signed with the secret that both sides know, and what it is about. Nothing else of it is believed. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { ForgeKind } from './forge.js';

export interface Notice {
  /** Id of its delivery, which is the same when it is sent again. */
  readonly deliveryId: string | undefined;
  /** Issue that it is about. */
  readonly issue: number | undefined;
}

const Body = z.object({
  issue: z.object({ number: z.number().optional(), iid: z.number().optional() }).nullish(),
  object_kind: z.string().optional(),
  object_attributes: z.object({ iid: z.number().optional() }).nullish(),
});

const DELIVERY = {
  github: ['x-github-delivery'],
  gitea: ['x-gitea-delivery', 'x-github-delivery'],
  gitlab: ['x-gitlab-webhook-uuid', 'x-gitlab-event-uuid', 'idempotency-key'],
} as const;

export function isSigned(kind: ForgeKind, headers: Headers, bytes: Uint8Array, secret: string): boolean {
  if (kind === 'gitlab') return isSame(headers.get('x-gitlab-token') ?? '', secret);
  const digest = createHmac('sha256', secret).update(bytes).digest('hex');
  const given = headers.get('x-hub-signature-256') ?? headers.get('x-gitea-signature') ?? '';
  return isSame(given.replace(/^sha256=/, ''), digest);
}

export function readNotice(kind: ForgeKind, headers: Headers, bytes: Uint8Array): Notice {
  const deliveryId = DELIVERY[kind].map((name) => headers.get(name)).find((id) => id !== null) ?? undefined;
  return { deliveryId, issue: issueIn(bytes) };
}

function issueIn(bytes: Uint8Array): number | undefined {
  try {
    const read = Body.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    if (!read.success) return undefined;
    const { issue, object_kind: kind, object_attributes: about } = read.data;
    return issue?.number ?? issue?.iid ?? (kind === 'issue' ? about?.iid : undefined);
  } catch {
    return undefined;
  }
}

/** Comparison that takes the same time whatever differs. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return timingSafeEqual(a!, b!) && other !== '';
}
