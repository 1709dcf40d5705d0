/** Where one can go. */
interface Place {
  readonly view: string;
  readonly name: string;
  /** Keys that go there. */
  readonly keys: string;
}

export const PLACES: readonly Place[] = [
  { view: 'inbox', name: 'Inbox', keys: 'g i' },
  { view: 'goals', name: 'Goals', keys: 'g g' },
  { view: 'reviews', name: 'Reviews', keys: 'g r' },
  { view: 'recover', name: 'Recover', keys: 'g f' },
  { view: 'candidate', name: 'Candidate', keys: 'g c' },
  { view: 'repositories', name: 'Repositories', keys: 'g p' },
];
