import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.js';

const ENTRIES = [
  'index',
  'indexeddb',
  'encrypted',
  'folder',
  'images',
  'inspector',
  'textarea',
  'codemirror',
  'monaco',
  'prosemirror',
  'tiptap',
  'react',
  'svelte',
  'vue',
  'solid',
];

export default defineConfig({
  ...library,
  entry: ENTRIES.map((name) => `src/${name}.ts`),
});
