/** Whether text has a form in UTF-8: no surrogate stands alone. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
