/** What an operator has said cannot be: names where it was said, and what is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(where: string, what: string) {
    super(`${where}: ${what}`);
  }
}
