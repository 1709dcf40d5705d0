/** Encoding of values to be written. What no reader would take is refused, as a mistake of whoever wrote it. */
import { DecodeError } from '../../codec/bytes/bytes.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { Rejection } from '../../rejection.js';

/** Runs a write; what the codec refuses of it is thrown as a `Rejection`. */
export function refusing<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof DecodeError) throw new Rejection('invalid-value', error.message, { cause: error });
    throw error;
  }
}

/** Throws a `Rejection` for what no reader would take. */
export function encode(key: string, value: unknown): Uint8Array {
  try {
    return encodeValue(value);
  } catch (error) {
    throw new Rejection('invalid-value', `the value of ${JSON.stringify(key)} cannot be stored`, { cause: error });
  }
}
