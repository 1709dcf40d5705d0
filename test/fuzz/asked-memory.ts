/** Allocation counter: bytes for which code asks by a length, of lists, typed arrays and Node's own buffers. For a thread of its own. */
const CONSTRUCTORS = ['Array', 'ArrayBuffer', 'Uint8Array', 'Int32Array', 'Uint32Array', 'Float64Array'] as const;
const ALLOCATORS = ['alloc', 'allocUnsafe', 'allocUnsafeSlow'] as const;
const ITEM_BYTES = 8;

const realFrom = Array.from.bind(Array);

let asked = 0;

/** Bytes asked for since it was called before. */
export function takeAsked(): number {
  const taken = asked;
  asked = 0;
  return taken;
}

export function countAsked(): void {
  for (const name of CONSTRUCTORS) {
    const counted = new Proxy<object>(globalThis[name], {
      construct(target, args: unknown[], made) {
        const [length] = args;
        if (typeof length === 'number') expect(length * bytesEach(target));
        return Reflect.construct(target as new () => object, args, made) as object;
      },
      get(target, field) {
        if (name !== 'Array' || field !== 'from') return Reflect.get(target, field) as unknown;
        return (items: Partial<ArrayLike<unknown>>, ...rest: []) => {
          if (typeof items.length === 'number') expect(items.length * ITEM_BYTES);
          return realFrom(items as ArrayLike<unknown>, ...rest);
        };
      },
    });
    Object.defineProperty(globalThis, name, { value: counted, writable: true, configurable: true });
  }
  for (const name of ALLOCATORS) {
    const real = Buffer[name].bind(Buffer);
    Buffer[name] = (size: number) => {
      expect(size);
      return real(size);
    };
  }
}

/** More than a process may have is not even tried: the machine is not what is tried here. */
const MOST_AT_ONCE = 1 << 28;

class TooMuch extends RangeError {}

function expect(bytes: number): void {
  asked += bytes;
  if (bytes > MOST_AT_ONCE) throw new TooMuch(`${bytes} bytes are asked for at once`);
}

function bytesEach(made: object): number {
  return (made as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? (made === ArrayBuffer ? 1 : ITEM_BYTES);
}
