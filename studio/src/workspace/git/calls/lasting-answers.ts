/**
 * Cache of git's answers about objects that are named by their ids: such an answer stays true as long as the objects are there.
 * Bounded; the answer that was used longest ago goes first.
 */
const MOST_BYTES = 2 << 20;
const MOST_ANSWERS = 2_000;
/** Longest answer that is kept. */
const LONGEST = MOST_BYTES / 8;

export class LastingAnswers<Answer extends { readonly bytes: Uint8Array }> {
  readonly #answers = new Map<string, Answer>();
  #bytes = 0;
  /** How often all was forgotten: an answer to a question from before is not kept. */
  #times = 0;

  /** Answer to a question, from the cache or asked now. */
  async of(question: string, ask: () => Promise<Answer>, lasts: (answer: Answer) => boolean): Promise<Answer> {
    const known = this.#answers.get(question);
    if (known !== undefined) {
      this.#answers.delete(question);
      this.#answers.set(question, known);
      return known;
    }
    const times = this.#times;
    const answer = await ask();
    if (times === this.#times && lasts(answer) && sizeOf(question, answer) <= LONGEST) this.#keep(question, answer);
    return answer;
  }

  forget(): void {
    this.#answers.clear();
    this.#bytes = 0;
    this.#times += 1;
  }

  #keep(question: string, answer: Answer): void {
    this.#drop(question);
    this.#answers.set(question, answer);
    this.#bytes += sizeOf(question, answer);
    while (this.#bytes > MOST_BYTES || this.#answers.size > MOST_ANSWERS)
      this.#drop(this.#answers.keys().next().value!);
  }

  #drop(question: string): void {
    const answer = this.#answers.get(question);
    if (answer === undefined) return;
    this.#answers.delete(question);
    this.#bytes -= sizeOf(question, answer);
  }
}

function sizeOf(question: string, { bytes }: { readonly bytes: Uint8Array }): number {
  return question.length + bytes.length;
}
