/** Variables in which vendors' own programs look for a key, by the name that the key has here: the vendor's. */
export const KEY_VARIABLES: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
};
