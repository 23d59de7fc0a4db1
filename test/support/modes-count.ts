/**
 * Words before a command for which the modes of files count, whoever runs the test: root is refused nothing otherwise.
 * It stays root, so that it comes to what is root's alone: a checkout, a bundle, a temporary folder.
 */
export const MODES_COUNT: readonly string[] =
  process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner'] : [];
