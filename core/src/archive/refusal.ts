/** Refusal of an archive: each fault has its class. */
import { Rejection } from '../rejection.js';

export type Fault =
  | 'unsupported_format'
  | 'manifest_invalid'
  | 'digest_mismatch'
  | 'signature_invalid'
  | 'checkpoint_not_found'
  | 'policy_timeline_mismatch';

export function refused(fault: Fault, message: string, cause?: unknown): Rejection {
  return new Rejection(`reject.archive_${fault}`, message, { cause });
}
