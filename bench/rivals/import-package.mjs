// Stays outside the bundle of the benches, so that a package name is resolved from this folder's own node_modules.
export function importPackage(name) {
  return import(name);
}
