/** What an event says in short: its first texts that are no ids. A turn of an agent, which only an id names, is called by its number. */
const ID = /^[a-z-]+-[0-9a-f]{8,}$/i;
/** Id of a turn: that of its work unit, how often that was begun, and the number of the turn since. */
const TURN = /^log-.+-\d+-(\d+)$/;
const MOST_TEXTS = 3;

export function inShort(json: string): string {
  const payload: unknown = JSON.parse(json);
  const values = Object.values(typeof payload === 'object' && payload !== null ? payload : {});
  const texts = values.filter((one) => typeof one === 'string').filter((one) => one.trim() !== '' && !ID.test(one));
  return texts.slice(0, MOST_TEXTS).map(named).join(' · ');
}

function named(text: string): string {
  const turn = TURN.exec(text)?.[1];
  return turn === undefined ? text : `turn ${turn}`;
}
