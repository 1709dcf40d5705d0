/** What the first script of the page has asked before the others were there: each answer is for whoever asks the same first. */
type Asked = Map<string, Promise<Response>>;

/** Answer that is on its way already, once. */
export function takeAsked(method: string, path: string): Promise<Response> | undefined {
  const { weftAsked } = globalThis as { readonly weftAsked?: Asked };
  const key = `${method} ${path}`;
  const found = weftAsked?.get(key);
  weftAsked?.delete(key);
  return found;
}
