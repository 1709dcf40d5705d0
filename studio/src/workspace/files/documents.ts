/** Document port: one request for an outside document, without following redirects. */

export interface DocumentAnswer {
  readonly status: number;
  /** Redirect target. */
  readonly location?: string | undefined;
  readonly contentType: string;
  /** Content, at most as long as was asked for. */
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}

export interface DocumentSource {
  /**
   * Fetches a document. Rejects with `reject.document_refused` for an address that is not public, and with
   * `reject.document_unreachable`.
   */
  get(url: URL, limits: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<DocumentAnswer>;
}
