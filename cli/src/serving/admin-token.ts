/** Bearer token of the administration door: as configured, or in a file of the data folder for its owner alone. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { privateFile } from '@weft/core/level';
import type { Config } from '@weft/server';
import { UsageError } from '../syntax/define.js';

const ADMIN_TOKEN = 'admin.token';

export async function adminToken({ store, 'admin-token': given }: Config): Promise<string> {
  if (given !== undefined) return given;
  if (store === 'memory')
    throw new UsageError('--admin-addr needs WEFT_ADMIN_TOKEN here: a store in memory has no file for the token');
  const text = await privateFile(join(store, ADMIN_TOKEN), `${randomBytes(32).toString('base64url')}\n`);
  return text.trim();
}
