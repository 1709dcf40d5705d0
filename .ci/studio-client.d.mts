/** Text of `client/studio/src/operations.ts` for an OpenAPI document. */
export function renderStudioClient(document: unknown): Promise<string>;
