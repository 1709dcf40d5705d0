/** What a callback of `finally` returns is awaited, which the library's own type leaves out. */
interface Promise<T> {
  finally(onfinally: () => PromiseLike<unknown>): Promise<T>;
}
