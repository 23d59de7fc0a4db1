/**
 * `text` without what addresses in it carry to prove who asks: the name and password before the host and everything after `?` or `#`
 * give way to `…`, also in a path alone. For what is logged or told of a failure; the text is not made visible or cut.
 */
export function withoutUrlSecrets(text: string): string {
  // Word by word, so that a long text takes no longer than it is long.
  return text.replace(/\S+/g, withoutSecrets);
}

function withoutSecrets(word: string): string {
  const begin = word.indexOf('://');
  if (begin < 0) {
    const query = word.indexOf('?');
    return query >= 0 && word.includes('=', query) ? `${word.slice(0, query)}?…${closing(word)}` : word;
  }
  const scheme = word.slice(0, begin + 3);
  const rest = word.slice(begin + 3);
  const at = rest.lastIndexOf('@');
  const place = rest.slice(at + 1);
  const query = place.search(/[?#]/);
  const shown = query < 0 ? place : `${place.slice(0, query + 1)}…${closing(place)}`;
  return `${scheme}${at < 0 ? '' : '…@'}${shown}`;
}

/** The marks of a sentence that stand behind an address. */
function closing(word: string): string {
  let from = word.length;
  while (from > 0 && '`"\'),.;:'.includes(word.charAt(from - 1))) from -= 1;
  return word.slice(from);
}
