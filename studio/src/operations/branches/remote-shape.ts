/** Shapes of repositories elsewhere, as callers see them. */
import { z } from 'zod';
import { PUBLISH_SHAPES, SIGNATURES } from '../../record/aggregates/publishing/publishing.js';
import { BRANCH_REFUSALS } from './branch-shape.js';

/** Refusals of whatever reaches a repository elsewhere. */
export const REACHING_REFUSALS = [
  'reject.protocol_not_allowed',
  'reject.remote_absent',
  'reject.remote_denied',
  'reject.remote_host_unknown',
  'reject.remote_unreachable',
] as const;
/** Refusals of whatever reaches a remote of a repository. */
export const REMOTE_REFUSALS = [
  ...REACHING_REFUSALS,
  ...BRANCH_REFUSALS,
  'reject.remote_not_found',
  'reject.repository_path_unusable',
] as const;

export const RemoteName = z.string().min(1).max(200).describe('Name of the remote, such as origin.');
const ThereBranch = z.string().min(1).max(200);

const Person = z.object({
  name: z
    .string()
    .min(1)
    .max(200)
    // Characters that git takes off both ends of a name are none.
    .regex(/^[^<>\p{Cc}]*[^<>\p{Cc}\s.,:;"'\\][^<>\p{Cc}]*$/u)
    .describe('Name.'),
  email: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^<>\s\p{Cc}]*[^<>\s\p{Cc}.,:;"'\\][^<>\s\p{Cc}]*$/u)
    .describe('Address of mail.'),
});

export const Remote = z
  .object({
    name: z.string().describe('Name.'),
    url: z.string().describe('Address to fetch from, without a secret that may stand in it.'),
    pushUrl: z.string().describe('Address to push to, without a secret.'),
    protocol: z.string().nullable().describe('How it is reached, such as https, ssh or file; null for what never is.'),
    allowed: z.boolean().describe('Whether this host reaches such addresses.'),
  })
  .meta({ id: 'Remote', description: 'A repository elsewhere that a registered one is connected to.' });

export const Transfer = z
  .object({
    of: z.string().describe('Repository, or the folder of one that is not registered yet.'),
    kind: z.enum(['clone', 'fetch', 'push']).describe('What is done.'),
    address: z.string().describe('With whom, without secrets.'),
    since: z.string().describe('Since when, ISO 8601.'),
    phase: z.string().describe("What is done now, in git's words."),
    percent: z.number().nullable().describe('How much of that is done, or null where git does not know.'),
  })
  .meta({ id: 'Transfer', description: 'What is under way between this host and a repository elsewhere.' });

export const publishingFields = {
  remote: RemoteName.optional().describe('Remote that work goes to. Default: origin.'),
  base: ThereBranch.optional().describe(
    'Branch there that work comes on top of, and is offered for. Default: that of the forge, or of the user.',
  ),
  branch: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the branch there: {goal} stands for the id of the goal, {branch} for that of the branch.'),
  shape: z
    .enum(PUBLISH_SHAPES)
    .optional()
    .describe('Form of the commits that leave: as they are, merged, squashed or rebased.'),
  message: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Message of a merge or a squash: {title}, {body}, {goal} and {branch} are filled in.'),
  author: Person.optional().describe('Author and committer of commits that are made. Default: the studio.'),
  coAuthors: z.array(Person).max(20).optional().describe('Who is named as an author too.'),
  sign: z.enum(SIGNATURES).optional().describe("Whether they are signed, with a key of the user's git."),
  signingKey: z
    .string()
    .max(4096)
    .regex(/^[^-]/)
    .optional()
    .describe('Key to sign with. Default: the one that git signs with.'),
} as const;

export const Settings = z
  .object(publishingFields)
  .meta({ id: 'PublishingSettings', description: 'How work leaves this host.' });
