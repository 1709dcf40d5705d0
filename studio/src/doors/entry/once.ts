/** What is made when it is first asked for, and kept: a start waits for nothing that it may not need. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}
