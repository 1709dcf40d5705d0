/** Documents of the outside world: one request, without following where it points to. */

export interface DocumentAnswer {
  readonly status: number;
  /** Where it has gone. */
  readonly location?: string | undefined;
  readonly contentType: string;
  /** No more than was asked for. */
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}

export interface DocumentSource {
  /** Rejects with `reject.document_refused` for a place that is not for us, and with `reject.document_unreachable`. */
  get(url: URL, limits: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<DocumentAnswer>;
}
