/** Check of an address that decides who may enter: nobody on the way may read or change what is said there. */
import { ConfigError } from '../config/config-error.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** `option` is where the operator has named it. */
export function secureUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ConfigError(option, `${text} is no http address`);
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(option, 'it has a password in it, which would stand in logs');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new ConfigError(option, `${text} would be asked in the open: beyond this machine it must be https`);
  return url;
}
