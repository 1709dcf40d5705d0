/** What an operation refuses for a reason that it does not declare fails the test that comes upon it, whatever that is about. */
import type { Notice } from '@weft/core';
import { UNDECLARED } from '../../operations/kernel/define.js';

export function expectDeclared(log: readonly Notice[]): void {
  const found = log.filter(({ message }) => message === UNDECLARED);
  const named = found.map(({ about, error }) => `${about?.['summary']} ${String(error)}`);
  if (named.length > 0) throw new Error(`${UNDECLARED}: ${named.join('; ')}`);
}
