/** Refusal of a request, in the words of the rule that it breaks. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
}

export function refuseUnless(holds: boolean, rule: string): void {
  if (!holds) throw new RefusedRequest(rule);
}
