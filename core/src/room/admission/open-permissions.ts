/** Permissions of a room that says nothing of who may write: everybody may, everywhere. A page has these until a room says more. */
import type { Judged } from './judged.js';
import type { ComingVoice } from './key-rules.js';
import type { Permits, Permitting } from './permits.js';

export const openPermitting: Permitting = (judged) => new OpenPermissions(judged);

class OpenPermissions implements Permits {
  readonly #judged: Judged;
  readonly #voices: PlainVoices;

  constructor(judged: Judged) {
    this.#judged = judged;
    this.#voices = new PlainVoices(judged);
  }

  allowsRun(): boolean {
    return true;
  }

  next(place: number): { readonly voice: ComingVoice; readonly fault: undefined } {
    const { identities, identity } = this.#judged.table;
    return { voice: this.#voices.of(identities.list[identity.get(place)]!.authorName), fault: undefined };
  }
}

/** Voices by author, where nothing is said about keys. */
export class PlainVoices {
  readonly #judged: Judged;
  readonly #voices = new Map<string, ComingVoice>();

  constructor(judged: Judged) {
    this.#judged = judged;
  }

  of(author: string): ComingVoice {
    let voice = this.#voices.get(author);
    if (voice) return voice;
    const speaks = this.#judged.speakers.roots.has(author);
    voice = { author, speaks, speaksStill: speaks, subject: author, subjectNow: author };
    this.#voices.set(author, voice);
    return voice;
  }
}
