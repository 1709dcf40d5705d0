// `npm run shape -- <path> …`: the shape of what ships, or of the code under some paths, tests among it.
import { renderShape, shapeOf } from './shape.js';
import { isProduct, isSource, readTree, select } from './source-tree.js';

const ROWS = 20;
const [, , checkout, ...under] = process.argv;

const files = readTree(checkout);
const code = select(files, (path) =>
  under.length === 0 ? isProduct(path) : isSource(path) && under.some((prefix) => path.startsWith(prefix)),
);
process.stdout.write(renderShape(shapeOf(code, files), ROWS));
