/** Schemas of single values that more than one frame carries. */
import { z } from 'zod';
import type { NodeId, PublicKey } from '../graph/node.js';

/** 32 bytes in hex, either case; lower case inside. */
const hex32 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex characters')
  .transform((text) => text.toLowerCase());

export const NodeIdHex = hex32.transform((text) => text as NodeId);
export const PublicKeyHex = hex32.transform((text) => text as PublicKey);
export const Hex = z.string().regex(/^[0-9a-f]*$/);
export const Count = z.number().int().nonnegative();
export const RequestId = z.union([z.string().max(128), z.number()]);
