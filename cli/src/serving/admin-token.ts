/** Bearer token of the administration door: as configured, or in a file of the data folder for its owner alone. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { privateFile } from '@weft/core/level';
import type { Config } from '@weft/server';
import { folderOf } from './stores.js';
import { UsageError } from '../syntax/define.js';

const ADMIN_TOKEN = 'admin.token';

export async function adminToken({ store, 'admin-token': given }: Config): Promise<string> {
  if (given !== undefined) return given;
  const folder = folderOf(store);
  if (folder === undefined)
    throw new UsageError(
      '--admin-addr needs WEFT_ADMIN_TOKEN here: without a data folder there is no file for the token',
    );
  const text = await privateFile(join(folder, ADMIN_TOKEN), `${randomBytes(32).toString('base64url')}\n`);
  return text.trim();
}
