/** Text of `client/studio/src/operations.ts` for an OpenAPI document. */
export function renderStudioClient(document: unknown): Promise<string>;

/** Text of `cli/src/studio/calls.ts` for a table of operations. */
export function renderCalls<Operation extends { readonly id: string }>(
  operations: readonly Operation[],
  told: { readonly callOf: (operation: Operation) => object; readonly tokensFile: string },
): Promise<string>;
