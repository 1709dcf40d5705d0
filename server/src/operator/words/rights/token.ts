import { CAPABILITIES, READ_ONLY, signToken } from '@weft/core';
import * as z from 'zod';
import { OperatorError } from '../../define.js';
import { Duration, OneRoom, PublicKey, word } from '../word.js';

const words: readonly string[] = [...CAPABILITIES, READ_ONLY];
const all = [...words, 'read:<glob>', 'write:<glob>'].join(', ');

const Cap = z
  .string()
  .refine((cap) => words.includes(cap) || /^(read|write):[\x21-\x7e]+$/.test(cap), `is no right; there are ${all}`);

export const roomToken = word({
  noun: 'room',
  verb: 'token',
  summary: 'Give one peer rights in a room: a token, for its hello.',
  changes: true,
  isForPrograms: true,
  in: OneRoom.extend({
    peer: PublicKey.describe("The peer's public key."),
    caps: z.array(Cap).default([]).describe(`Rights: ${all}. With one that names where, just that is granted.`),
    ttl: Duration.default(3600).describe('How long it holds: a number with s, m, h or d; 1h when absent.'),
  }),
  out: z.object({
    peer_pubkey: z.string(),
    expiry: z.number().describe('Unix seconds.'),
    caps: z.array(z.string()),
    sig: z.string(),
    issuer: z.string(),
  }),
  async run({ admin }, { room, peer, caps, ttl }) {
    if (!admin) throw new OperatorError('this server has no admin key to sign with: give it --admin-key');
    const { ...token } = await signToken({ room, peer, caps, expiry: Math.floor(Date.now() / 1000) + ttl }, admin.seed);
    return { ...token, caps: [...token.caps] };
  },
});
