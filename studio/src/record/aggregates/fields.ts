/** Changes of single fields, for what is edited field by field. What is not said stays. */
export type Said<State> = { readonly [Key in keyof State]?: State[Key] | undefined };

/** The fields that are said and differ. */
export function changedFields<State extends object>(before: State, said: Said<State>): Partial<State> {
  const entries = Object.entries(said).filter(
    ([key, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[key]),
  );
  // Each is a field of the state with a value of its type.
  return Object.fromEntries(entries) as Partial<State>;
}

export function withFields<State extends object>(before: State, said: Said<State>): State {
  return { ...before, ...changedFields(before, said) };
}
