/** What bindings of editors and links between pages build on, beside `page`: a page has of it what its application asks for. */
export {
  type Description,
  type DirectParts,
  isDescriptionBy,
  readsWholeUntil,
  signDescription,
} from './client/direct/word.js';
export { ownSince, tipOf } from './client/direct/own-nodes.js';
export { createUndo } from './client/editing/undo.js';
export { type Expand, type MarkOptions, type RichText, richText } from './client/marks/rich-text.js';
export type { Span } from './crdt/mark-runs.js';
