/** Archives that live and die with the process. */
import { concatBytes } from '../../codec/bytes/bytes.js';
import { type ArchiveFile, ArchiveNameError, type ArchiveStore } from '../../ports/archive-store.js';
import { isArchiveName } from '../archive-names.js';

const CHUNK_BYTES = 128 * 1024;

export function memoryArchives(): ArchiveStore {
  const files = new Map<string, Uint8Array>();
  return {
    async open(name) {
      const file = files.get(checked(name));
      return file && fileOf(file);
    },
    async put(name, bytes) {
      const chunks: Uint8Array[] = [];
      checked(name);
      for await (const chunk of bytes) chunks.push(chunk.slice());
      files.set(name, concatBytes(chunks));
    },
  };
}

function checked(name: string): string {
  if (isArchiveName(name)) return name;
  throw new ArchiveNameError('a name is a path of letters, digits and - _ . ~ + = @');
}

function fileOf(file: Uint8Array): ArchiveFile {
  return {
    size: file.length,
    async *read(from, to) {
      if (to > file.length) throw new RangeError(`the archive has ${file.length} bytes, not ${to}`);
      for (let at = from; at < to; at += CHUNK_BYTES) yield file.slice(at, Math.min(to, at + CHUNK_BYTES));
    },
    close: () => Promise.resolve(),
  };
}
