/**
 * Convoys of questions to somebody far away: so many are under way at a time, and what is asked meanwhile waits and goes as one.
 * Whoever asks alone is asked for at once. A convoy that takes long holds up nobody but those in it.
 */

export interface ConvoyOptions<Key, Answer> {
  /** Answers each of these, all of them different. */
  readonly ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>;
  /** Under way at a time, by default two. */
  readonly lanes?: number;
  /** Most that go as one. */
  readonly most: number;
  /** Milliseconds after which one counts as under way no more. */
  readonly patienceMs?: number;
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

const LANES = 2;
const PATIENCE_MS = 500;

export class Convoys<Key, Answer> {
  readonly #options: ConvoyOptions<Key, Answer>;
  /** By what they ask: who asks what is asked already, and has not left yet, goes along. */
  readonly #waiting = new Map<Key, Waiting<Answer>[]>();
  #underWay = 0;

  constructor(options: ConvoyOptions<Key, Answer>) {
    this.#options = options;
  }

  ask(key: Key): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(key);
      if (others) others.push({ resolve, reject });
      else this.#waiting.set(key, [{ resolve, reject }]);
      queueMicrotask(() => this.#depart());
    });
  }

  #depart(): void {
    const { lanes = LANES, most, patienceMs = PATIENCE_MS } = this.#options;
    while (this.#underWay < lanes && this.#waiting.size > 0) {
      const leaving = new Map([...this.#waiting].slice(0, most));
      for (const key of leaving.keys()) this.#waiting.delete(key);
      this.#underWay++;
      let isUnderWay = true;
      const pass = (): void => {
        clearTimeout(late);
        if (!isUnderWay) return;
        isUnderWay = false;
        this.#underWay--;
        this.#depart();
      };
      const late = setTimeout(pass, patienceMs);
      void this.#run(leaving).then(pass);
    }
  }

  /** Answers all that go together. Never rejects. */
  async #run(leaving: ReadonlyMap<Key, readonly Waiting<Answer>[]>): Promise<void> {
    try {
      const answers = await this.#options.ask([...leaving.keys()]);
      for (const [key, all] of leaving) for (const { resolve } of all) resolve(answers.get(key)!);
    } catch (error) {
      for (const all of leaving.values()) for (const { reject } of all) reject(error);
    }
  }
}
