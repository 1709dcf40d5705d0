/**
 * Speech: what agents say while they say it, for whoever watches. It is kept nowhere: the record has each answer once it is whole, and a
 * watcher who cannot keep up misses some of it. Where nobody watches, nothing is done.
 */
export interface Speaker {
  readonly workUnitId: string;
  readonly agentId: string;
  /** Cycle of the conversation that will hold the answer. */
  readonly logId: string;
}

export interface Spoken extends Speaker {
  readonly text: string;
  /** Whether the answer begins here: what was said of this cycle before is void. */
  readonly startsOver: boolean;
}

/** Pieces are gathered for so long, or until they are so large. */
const GATHER_MS = 100;
const MOST_GATHERED = 8 << 10;

export class Speech {
  readonly #watchers = new Set<(spoken: Spoken) => void>();
  readonly #gathered = new Map<string, Spoken>();
  #timer: NodeJS.Timeout | undefined;

  watch(hear: (spoken: Spoken) => void): () => void {
    this.#watchers.add(hear);
    return () => {
      this.#watchers.delete(hear);
      if (this.#watchers.size === 0) this.#drop();
    };
  }

  say(speaker: Speaker, text: string, startsOver = false): void {
    if (this.#watchers.size === 0) return;
    const { logId } = speaker;
    const before = startsOver ? undefined : this.#gathered.get(logId);
    const spoken = {
      ...speaker,
      text: (before?.text ?? '') + text,
      startsOver: startsOver || before?.startsOver === true,
    };
    this.#gathered.set(logId, spoken);
    if (spoken.text.length >= MOST_GATHERED) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** Tells what is gathered now, as at the end of an answer. */
  flush(): void {
    const all = [...this.#gathered.values()];
    this.#drop();
    for (const spoken of all) for (const hear of this.#watchers) hear(spoken);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathered.clear();
  }
}
