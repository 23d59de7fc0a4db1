/** Names of options: `-a` for every letter, and those that are written out, apart by spaces. */
export function optionNames(letters: string, whole = ''): readonly string[] {
  return [...Array.from(letters, (letter) => `-${letter}`), ...whole.split(' ').filter((name) => name !== '')];
}
