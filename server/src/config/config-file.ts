/** The file of `--config`: one JSON object whose fields are called like the flags. */
import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.js';

export interface ConfigFile {
  readonly fields: ReadonlyMap<string, unknown>;
  /** File and line of a field, for whoever has to change it. */
  place(field: string): string;
}

export function readConfigFile(path: string): ConfigFile {
  const text = read(path);
  const content = parse(path, text);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(path, 'must hold one JSON object, like { "listen": "127.0.0.1:7878" }');
  }
  return {
    fields: new Map<string, unknown>(Object.entries(content)),
    place: (field) => `${path}:${lineOf(text, field)} "${field}"`,
  };
}

function read(path: string): string {
  try {
    // Without the mark of byte order that editors of Windows put before the text.
    return new TextDecoder().decode(readFileSync(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError('--config', `cannot read ${path}: ${reason}; name a JSON file that this user can read`);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(reason)?.[1];
    const line = lineAt(text, position === undefined ? text.length : Number(position));
    throw new ConfigError(`${path}:${line}`, `is not JSON: ${reason}`);
  }
}

/** Line of a field. Of several with one name the last counts, as in JSON. */
function lineOf(text: string, field: string): number {
  const written = JSON.stringify(field);
  for (let at = text.lastIndexOf(written); at >= 0; at = text.lastIndexOf(written, at - 1)) {
    if (/^\s*:/.test(text.slice(at + written.length))) return lineAt(text, at);
    if (at === 0) break;
  }
  return 1;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
