/** Partial update of a state that is edited field by field. Omitted fields stay. */
export type Said<State> = { readonly [Key in keyof State]?: State[Key] | undefined };

/** Fields that were given and differ. */
export function changedFields<State extends object>(before: State, said: Said<State>): Partial<State> {
  const entries = Object.entries(said).filter(
    ([key, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[key]),
  );
  // Each entry is a field of the state with a value of its type.
  return Object.fromEntries(entries) as Partial<State>;
}

export function withFields<State extends object>(before: State, said: Said<State>): State {
  return { ...before, ...changedFields(before, said) };
}
