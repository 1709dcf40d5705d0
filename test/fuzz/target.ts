/** A decoder that is fuzzed: what it is given, and how it says no. */
export interface Target {
  readonly name: string;
  /** Inputs that it takes, to begin with. */
  seeds(): Promise<readonly Uint8Array[]> | readonly Uint8Array[];
  /** Decodes, and reads what came of it; throws where that breaks a law of its own. */
  decode(bytes: Uint8Array): void | Promise<void>;
  /** Whether it says no as it should: anything else that it throws is a fault. */
  isRefusal(error: unknown): boolean;
  /** What inputs are made of, so that they are changed by their parts too. Default: bytes. */
  readonly form?: 'json' | 'json-lines' | 'text';
  /** Words that mean something to it. */
  readonly words?: readonly string[];
  /** Bytes of memory that it may ask for, per byte of the input. Default: `PER_BYTE`. */
  readonly perByte?: number;
}

/** What the table of a node, copies and a reader's own columns come to. */
export const PER_BYTE = 512;
/** Whatever the input, a decoder may ask for this much. */
export const AT_LEAST = 4 << 20;

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Lenient, as what comes from other programs is read. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
