/** Names of a schema in a marked text, and back: what is written of blocks, marks and objects, and what is made of what others wrote. */
import type { Attrs, Mark, MarkType, Node, NodeType, Schema } from 'prosemirror-model';
import { BLOCK, type Marking, NEWLINE, OBJECT, isSame } from './lines.js';

/** Node of a document without its content. */
export interface NodeName {
  readonly type: string;
  /** Those that are not what the schema says they are by themselves. */
  readonly attrs?: Attrs;
}

/** Value of the mark `block`. */
export interface BlockName extends NodeName {
  /** What the block is in, outermost first. */
  readonly within?: readonly NodeName[];
  /** How many of these are the very ones that the line before is in. */
  readonly joins?: number;
}

/** Object character: a node that stands in text. */
interface ObjectName extends NodeName {
  readonly content?: unknown;
}

/** Blocks within blocks: deeper ones are shown as if they were not so deep. */
const MOST_WITHIN = 64;
const RESERVED = [BLOCK, NEWLINE, OBJECT];

export class Names {
  readonly schema: Schema;
  /** Block of a line of which nothing is said. */
  readonly plain: NodeType;

  constructor(schema: Schema, plain?: string) {
    this.schema = schema;
    const taken = RESERVED.find((name) => name in schema.marks);
    if (taken)
      throw new Error(`a mark of the schema is called ${taken}, which says something else in a shared text: rename it`);
    const found = plain === undefined ? plainBlock(schema) : schema.nodes[plain];
    if (!found?.isTextblock || found.hasRequiredAttrs())
      throw new Error(
        `the schema has no block of text ${plain ? `called ${plain} ` : ''}that needs no attributes: name one as plain`,
      );
    this.plain = found;
  }

  nodeName({ type, attrs }: Node): NodeName {
    const said = differing(type.spec.attrs, attrs);
    return said ? { type: type.name, attrs: said } : { type: type.name };
  }

  objectName(node: Node): ObjectName {
    const name = this.nodeName(node);
    return node.content.size > 0 ? { ...name, content: node.content.toJSON() } : name;
  }

  /** A mark that may stand beside another one of its type has its id in its name. */
  markName({ type, attrs }: Mark): string {
    return type.excludes(type) ? type.name : `${type.name}/${idOf(attrs)}`;
  }

  markValue({ type, attrs }: Mark): unknown {
    return differing(type.spec.attrs, attrs) ?? true;
  }

  markType(name: string): MarkType | undefined {
    return Object.hasOwn(this.schema.marks, name)
      ? this.schema.marks[name]
      : this.schema.marks[name.slice(0, Math.max(0, name.indexOf('/')))];
  }

  /** Whether a mark is one that this schema speaks of. */
  isKnown(name: string): boolean {
    return RESERVED.includes(name) || this.markType(name) !== undefined;
  }

  /** Marks of the schema, of what is said of characters; by name, so that which excludes which is the same everywhere. */
  marksOf(marking: Marking, parent: NodeType): readonly Mark[] {
    let set: readonly Mark[] = [];
    for (const name of Object.keys(marking).sort()) {
      const type = this.markType(name);
      if (!type || !parent.allowsMarkType(type)) continue;
      const mark = made(() => this.schema.markFromJSON({ type: type.name, attrs: attrsOf(marking[name]) }));
      if (mark && this.markName(mark) === name) set = mark.addToSet(set);
    }
    return set;
  }

  /** Type of a node that is named so, when the schema has it. */
  typeOf(name: string): NodeType | undefined {
    const type = Object.hasOwn(this.schema.nodes, name) ? this.schema.nodes[name] : undefined;
    return type === this.schema.topNodeType || type?.isText ? undefined : type;
  }

  /** Node of an object character; undefined where the schema has none such. */
  objectOf(value: unknown): Node | undefined {
    const { type: name, attrs, content } = (value ?? {}) as Partial<ObjectName>;
    const type = typeof name === 'string' ? this.typeOf(name) : undefined;
    if (!type?.isInline) return undefined;
    return made(() => {
      const node = this.schema.nodeFromJSON({ type: type.name, attrs: attrsOf(attrs), content });
      node.check();
      return node;
    });
  }

  blockName(value: unknown): BlockName | undefined {
    const { type, attrs, within, joins } = (value ?? {}) as Partial<BlockName>;
    if (typeof type !== 'string') return undefined;
    const outer = Array.isArray(within)
      ? within.filter((one) => typeof one?.type === 'string').slice(0, MOST_WITHIN)
      : [];
    return { type, attrs: attrsOf(attrs) ?? {}, within: outer, joins: typeof joins === 'number' ? joins : 0 };
  }
}

/** What `make` makes; undefined where a schema refuses it. */
export function made<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Attributes of a node, of what others have written; undefined where its type refuses them. */
export function attrsFor(type: NodeType, attrs: unknown): Attrs | undefined {
  return made(() => type.schema.nodeFromJSON({ type: type.name, attrs: attrsOf(attrs) }).attrs);
}

function attrsOf(value: unknown): Attrs | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Attrs) : undefined;
}

function plainBlock({ nodes }: Schema): NodeType | undefined {
  if (nodes['paragraph']?.isTextblock) return nodes['paragraph'];
  return Object.values(nodes).find((type) => type.isTextblock && !type.spec.code && !type.hasRequiredAttrs());
}

function differing(
  spec: Readonly<Record<string, { readonly default?: unknown }>> | null | undefined,
  attrs: Attrs,
): Attrs | undefined {
  const said = Object.entries(attrs).filter(
    ([name, value]) =>
      value !== undefined && !(spec?.[name] && 'default' in spec[name] && isSame(spec[name].default, value)),
  );
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

const MOST_ID = 64;

function idOf(attrs: Attrs): string {
  const { id } = attrs as { readonly id?: unknown };
  if ((typeof id === 'string' && id.length <= MOST_ID) || typeof id === 'number') return String(id);
  const all = JSON.stringify(Object.entries(attrs).sort(([a], [b]) => (a < b ? -1 : 1)));
  // Two sums of 32 bits: names of marks have a bound, and attributes have none.
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < all.length; at++) {
    one = Math.imul(one ^ all.charCodeAt(at), 2654435761);
    two = Math.imul(two ^ all.charCodeAt(at), 1597334677);
  }
  return (one >>> 0).toString(36) + (two >>> 0).toString(36);
}
