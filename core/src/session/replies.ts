/** What replies have in common. */
import { Rejection } from '../rejection.js';
import type { Frame } from '../wire/frame.js';
import { RequestId } from '../wire/scalars.js';

/** Replies say which request they answer. [ER2] */
export function echoOf(request: Frame | undefined): { readonly req_id?: string | number } {
  const id = RequestId.safeParse(request?.['req_id']);
  return id.success ? { req_id: id.data } : {};
}

export function expectedHello(): Rejection {
  return new Rejection('expected-hello', 'expected hello');
}
