/** Configuration that cannot be: names where the operator wrote it, and what is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(where: string, what: string) {
    super(`${where}: ${what}`);
  }
}
