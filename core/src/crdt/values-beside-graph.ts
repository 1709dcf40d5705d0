/** Values of a document beside its graph, which is saved as well: what stands in the graph is not written twice. */
import { List } from './list.js';
import type { ValuesForm } from './document.js';
import { loadWinners, saveWinners } from './winners.js';

export const BESIDE_GRAPH: ValuesForm = {
  saveRegisters: saveWinners,
  loadRegisters: loadWinners,
  saveList: (list, out) => list.saveSeats(out),
  loadList: (input, elements) => List.loadSeats(input, elements),
};
