/** The real thing, but for some of its methods: for faults, and to watch what is asked of it. */
export function altered<T extends object>(real: T, changes: Partial<T>): T {
  return new Proxy(real, {
    get(target, name) {
      const found: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof found === 'function' && !(name in changes) ? found.bind(target) : found;
    },
  });
}
