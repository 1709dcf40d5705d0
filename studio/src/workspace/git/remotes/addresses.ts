/** Addresses of repositories: by which way one is reached, and what of it may be shown. */
import { isAbsolute, join } from 'node:path';

/** `user@host:path`, as ssh writes it. Two colons would name a program. */
const AS_SSH = /^(?:[\w.-]+@)?[a-z0-9][\w.-]*:(?!:|\/\/)/i;

const OPTION_AS_HOST = /^[^:]+:\/\/(?:[^@/]*@)?-/;

/** Protocol of an address; undefined for what could be a program of somebody's choice, or an option. */
export function protocolOf(address: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  if (scheme !== undefined) return OPTION_AS_HOST.test(address) ? undefined : scheme.toLowerCase();
  if (isAbsolute(address)) return 'file';
  return AS_SSH.test(address) && !address.split(':')[0]!.includes('/') ? 'ssh' : undefined;
}

/** Folder that an address of this machine names. */
export function folderOfAddress(address: string): string {
  return address.replace(/^file:\/\/[^/]*/i, '');
}

/** Address as it is used: one that is relative begins in the folder that it was configured in. */
export function absoluteAddress(address: string, folder: string): string {
  return /^\.\.?(\/|$)/.test(address) ? join(folder, address) : address;
}

/** Address as it may be shown: what stands before an `@` may be a secret. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^@/]*@/i, '$1');
}
