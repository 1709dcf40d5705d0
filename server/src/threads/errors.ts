/**
 * Errors between threads: a thread gets errors of the other one without their classes, and these say who is told what.
 */
import { ArchiveNameError, BlobError, type BlobFault, type Notice, StoreError, type StoreFault } from '@weft/core';
import { InvalidInput, NotThere, OperatorError } from '../operator/define.js';

export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly fault?: string;
}

const REFUSALS = { InvalidInput, NotThere, OperatorError, ArchiveNameError } as const;

export function toSent(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined };
  const { message, stack } = error;
  const refusal = Object.entries(REFUSALS).find(([, kind]) => error.constructor === kind)?.[0];
  const fault = error instanceof StoreError || error instanceof BlobError ? { fault: error.fault } : {};
  return { name: refusal ?? error.name, message, stack, ...fault };
}

export function fromSent({ name, message, stack, fault }: SentError): Error {
  const error = made(name, message, fault);
  if (stack !== undefined) error.stack = stack;
  return error;
}

function made(name: string, message: string, fault: string | undefined): Error {
  if (name === 'StoreError') return new StoreError(fault as StoreFault, message);
  if (name === 'BlobError') return new BlobError(fault as BlobFault, message);
  const [, Refusal] = Object.entries(REFUSALS).find(([known]) => known === name) ?? [];
  return Refusal ? new Refusal(message) : new Error(message);
}

/** A notice for the log, which the other thread has. */
export interface SentNotice extends Omit<Notice, 'error'> {
  readonly error?: SentError;
}

export function sentNotice({ error, ...notice }: Notice): SentNotice {
  return error === undefined ? notice : { ...notice, error: toSent(error) };
}

export function noticeOf({ error, ...notice }: SentNotice): Notice {
  return error === undefined ? notice : { ...notice, error: fromSent(error) };
}
