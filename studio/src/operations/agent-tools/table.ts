/**
 * Tools that only agents get, beside those of the contract: shaped for models, with answers as text. They are about the agent's own branch
 * and name no other. Their names have no prefix, so none is ever taken for one of the contract's.
 */
import { tableOf } from '../table.js';
import * as history from './history.js';
import * as memory from './memory.js';
import * as reading from './reading.js';
import * as reviewing from './reviewing.js';
import * as running from './running.js';
import * as scope from './scope.js';
import * as skills from './skills.js';
import * as todo from './todo.js';
import * as writing from './writing.js';

export const agentTable = tableOf({
  'agent-tool': {
    ...history,
    ...memory,
    ...reading,
    ...reviewing,
    ...running,
    ...scope,
    ...skills,
    ...todo,
    ...writing,
  },
});

/** Tools of the contract that an agent is not shown beside these, which do the same better. Called by name, they answer. */
export const SHOWN_INSTEAD: Readonly<Record<string, readonly string[]>> = {
  view: ['workspace_read', 'workspace_read_many', 'workspace_exists'],
  glob: ['workspace_list'],
  grep: ['workspace_search'],
  symbols: ['workspace_symbol_definition', 'workspace_symbol_references', 'workspace_symbol_implementation'],
  edit: ['workspace_replace'],
  write: ['workspace_write'],
  delete: ['workspace_delete'],
  diff: ['workspace_diff'],
  build: ['workspace_build'],
  test: ['workspace_test'],
  lint: ['workspace_exec'],
  review: ['merge_review'],
};
