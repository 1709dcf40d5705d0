/** The authentication hook that an operator has configured: a webhook, tokens of an identity provider, or none. */
import { readFile } from 'node:fs/promises';
import type { AuthenticateHook, EntryOptions } from '@weft/core';
import * as z from 'zod';
import { ConfigError } from '../config/config-error.js';
import type { Config } from '../config/options.js';
import { ClaimRules } from './claim-rights.js';
import { jwtEntry } from './jwt-entry.js';
import { webhookEntry } from './webhook-entry.js';

/** What is asked of peers, as the operator says it. With an identity provider, that is a token unless he says otherwise. */
export async function entryOf(config: Config): Promise<EntryOptions> {
  const { require, 'create-rooms': createRooms, 'auth-timeout-ms': authenticateMs } = config;
  const authenticate = await hookOf(config);
  return {
    require: require ?? (config['jwt-issuer'] === undefined ? 'open' : 'token'),
    ...(createRooms === undefined ? {} : { createRooms: createRooms.filter((room) => room !== '-') }),
    ...(authenticate === undefined ? {} : { authenticate, authenticateMs }),
  };
}

async function hookOf(config: Config): Promise<AuthenticateHook | undefined> {
  mustBeOfUse(config);
  const { 'auth-webhook': url, 'auth-webhook-secret': secret } = config;
  const { 'jwt-issuer': issuer, 'jwt-audience': audiences, 'jwt-rights': rights, 'jwks-url': jwksUrl } = config;
  if (url !== undefined) {
    if (secret === undefined)
      throw new ConfigError(
        'auth-webhook',
        'needs the secret that questions are signed with: set WEFT_AUTH_WEBHOOK_SECRET',
      );
    return webhookEntry({ url, secret, headers: config['auth-webhook-headers'], cacheMs: config['auth-cache-ms'] });
  }
  if (issuer === undefined) return undefined;
  if (audiences === undefined)
    throw new ConfigError(
      'jwt-issuer',
      'needs --jwt-audience: a token that was made for another service must not count here',
    );
  if (rights === undefined)
    throw new ConfigError('jwt-issuer', 'needs --jwt-rights: the file that says which claims give which rights');
  const rules = await readRules(rights);
  return jwtEntry({ issuer, audiences, rules, ...(jwksUrl === undefined ? {} : { jwksUrl }) });
}

/** Refuses what would have no effect. */
function mustBeOfUse(config: Config): void {
  if (config['auth-webhook'] !== undefined && config['jwt-issuer'] !== undefined)
    throw new ConfigError(
      'auth-webhook',
      'and jwt-issuer exclude each other: the webhook is given the token, and may judge it',
    );
  for (const name of ['auth-webhook-secret'] as const)
    if (config[name] !== undefined && config['auth-webhook'] === undefined)
      throw new ConfigError(name, 'has no effect without --auth-webhook');
  for (const name of ['jwks-url', 'jwt-audience', 'jwt-rights'] as const)
    if (config[name] !== undefined && config['jwt-issuer'] === undefined)
      throw new ConfigError(name, 'has no effect without --jwt-issuer');
}

async function readRules(path: string): Promise<ClaimRules> {
  const where = `jwt-rights ${path}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(where, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const read = ClaimRules.safeParse(jsonOf(text, where));
  if (!read.success) throw new ConfigError(where, z.prettifyError(read.error).split('\n').join('; '));
  return read.data;
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(where, `is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
