/** A source with types, whose tests ask what errors say of it. */
interface Place {
  readonly stack: string;
  readonly url: string;
}

export function thrownHere(): Place {
  const { stack = '' } = new Error('here'); // line 8, column 26
  return { stack, url: import.meta.url };
}
