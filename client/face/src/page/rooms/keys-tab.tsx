/** Keys of a room as a tree, with search, now or at a position of the log; and the one that is open, with why it holds what it does. */
import { useMemo, useState } from 'preact/hooks';
import { useKeys } from '../core/keys.js';
import { go, pathTo } from '../core/route.js';
import { visible } from '../parts/text.js';
import { Empty, Field, Read, many } from '../parts/ui.js';
import { KeyDetail } from './key-detail.js';
import { useWord } from './use-words.js';
import type { Words } from './words.js';

type Listed = Words['room-keys']['output']['keys'][number];

interface KeysProps {
  readonly room: string;
  /** Nodes of the room. */
  readonly nodes: number;
  /** Key that is open. */
  readonly wanted: string | undefined;
}

export function KeysTab({ room, nodes, wanted }: KeysProps) {
  const [search, setSearch] = useState('');
  const [at, setAt] = useState<number | undefined>(undefined);
  const [after, setAfter] = useState<readonly string[]>([]);
  const last = after.at(-1);
  const keys = useWord('room-keys', {
    room,
    search,
    most: 500,
    ...(last === undefined ? {} : { after: last }),
    ...(at === undefined ? {} : { at }),
  });
  useKeys([{ keys: '/', does: 'Find keys', run: () => document.querySelector<HTMLElement>('[name=find]')?.focus() }]);
  const find = (words: string): void => {
    setAfter([]);
    setSearch(words);
  };
  return (
    <div class="two keys">
      <section aria-label="Keys">
        <Field label="Find" name="find" value={search} onInput={find} />
        <Moment nodes={nodes} at={at} onAt={setAt} />
        <Read of={keys}>
          {({ keys: found, count, more }) => (
            <>
              <p class="quiet small" role="status">
                {many(count, 'key')}
                {after.length > 0 && `, page ${after.length + 1}`}
              </p>
              {found.length === 0 ? <Empty>No key is here.</Empty> : <Tree room={room} keys={found} open={wanted} />}
              <div class="row">
                {after.length > 0 && (
                  <button type="button" onClick={() => setAfter(after.slice(0, -1))}>
                    Page before
                  </button>
                )}
                {more && (
                  <button type="button" onClick={() => setAfter([...after, found.at(-1)?.key ?? ''])}>
                    Next page
                  </button>
                )}
              </div>
            </>
          )}
        </Read>
      </section>
      <section aria-label="Value">
        {wanted === undefined ? (
          <Empty>Choose a key to see what it holds, and why.</Empty>
        ) : (
          <KeyDetail key={wanted} room={room} name={wanted} at={at} />
        )}
      </section>
    </div>
  );
}

/** Slider over the log: the room as it was at any position. */
function Moment({
  nodes,
  at,
  onAt,
}: {
  readonly nodes: number;
  readonly at: number | undefined;
  readonly onAt: (at: number | undefined) => void;
}) {
  return (
    <label class={`field scrub${at === undefined ? '' : ' is-past'}`}>
      <span>{at === undefined ? `Now, behind ${many(nodes, 'node')}` : `As it was behind ${many(at, 'node')}`}</span>
      <input
        type="range"
        name="moment"
        min={0}
        max={nodes}
        value={at ?? nodes}
        onChange={(event) => {
          const wanted = Number(event.currentTarget.value);
          onAt(wanted >= nodes ? undefined : wanted);
        }}
      />
    </label>
  );
}

interface Branch {
  readonly name: string;
  readonly path: string;
  readonly branches: Map<string, Branch>;
  readonly leaves: Listed[];
}

function treeOf(keys: readonly Listed[]): Branch {
  const root: Branch = { name: '', path: '', branches: new Map(), leaves: [] };
  for (const listed of keys) {
    let at = root;
    const parts = listed.key.split('/');
    for (const part of parts.slice(0, -1)) {
      let next = at.branches.get(part);
      if (!next)
        at.branches.set(part, (next = { name: part, path: `${at.path}${part}/`, branches: new Map(), leaves: [] }));
      at = next;
    }
    at.leaves.push(listed);
  }
  return root;
}

function Tree({
  room,
  keys,
  open,
}: {
  readonly room: string;
  readonly keys: readonly Listed[];
  readonly open: string | undefined;
}) {
  const root = useMemo(() => treeOf(keys), [keys]);
  return <Level room={room} branch={root} open={open} />;
}

function Level({
  room,
  branch,
  open,
}: {
  readonly room: string;
  readonly branch: Branch;
  readonly open: string | undefined;
}) {
  return (
    <ul class="keys-tree">
      {[...branch.branches.values()].map((below) => (
        <li key={below.path}>
          <details open>
            <summary>
              {visible(below.name)}/ <span class="quiet">{sizeOf(below)}</span>
            </summary>
            <Level room={room} branch={below} open={open} />
          </details>
        </li>
      ))}
      {branch.leaves.map(({ key, kind, value }) => {
        const path = pathTo('rooms', room, 'keys', key);
        return (
          <li key={`${kind} ${key}`} class="leaf">
            <a
              href={path}
              aria-current={key === open ? 'true' : undefined}
              onClick={(event) => {
                event.preventDefault();
                go(path);
              }}
            >
              {visible(key.slice(branch.path.length)) || '(empty)'}
            </a>{' '}
            <span class="quiet small">{kind}</span> <code class="cut">{visible(value)}</code>
          </li>
        );
      })}
    </ul>
  );
}

function sizeOf({ branches, leaves }: Branch): number {
  return [...branches.values()].reduce((sum, below) => sum + sizeOf(below), leaves.length);
}
