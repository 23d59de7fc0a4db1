/** `path` with one more key; a key that is not bare is quoted as TOML does. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  const written = /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? written : `${path}.${written}`;
}

/** `path` without its last key or index; empty at the top. */
export function parentPath(path: string): string {
  if (path.endsWith(']')) return path.slice(0, path.lastIndexOf('['));
  // Leftmost is the whole of a quoted key: a mark inside is escaped. At the top there is no dot, and nothing to find.
  const end = path.endsWith('"') ? path.search(/\."(?:[^"\\]|\\.)*"$/) : path.lastIndexOf('.');
  return path.slice(0, Math.max(0, end));
}
