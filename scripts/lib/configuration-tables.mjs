/** Table of the file that a key stands in: `peers.NAME.limits.max_concurrent` → `[peers.NAME]`, `tests[].from` → `[[tests]]`. */
function tableOf(key) {
  const parts = key.split('.');
  if (parts.length === 1) return 'at the top';
  if (parts[0].endsWith('[]')) return `[[${parts[0].slice(0, -2)}]]`;
  return parts[1] === 'NAME' && parts.length > 2 ? `[${parts[0]}.NAME]` : `[${parts[0]}]`;
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The default of a row. A key that must be given has `required` there, which is also a word that `isolation` may have. */
function defaultOf({ default: shown, type }) {
  if (shown === '') return '';
  return shown === 'required' && !type.includes('"required"') ? '**required**' : `\`${cell(shown)}\``;
}

/** Markdown tables of every configuration key, one for each table of the file, in the order of the schema. */
export function configurationTables(rows) {
  const tables = new Map();
  for (const row of rows) tables.set(tableOf(row.key), [...(tables.get(tableOf(row.key)) ?? []), row]);
  return [...tables]
    .map(([table, members]) =>
      [
        `### ${table.startsWith('[') ? `\`${table}\`` : table[0].toUpperCase() + table.slice(1)}`,
        '',
        '| key | value | default | meaning |',
        '|---|---|---|---|',
        ...members.map((row) => `| \`${row.key}\` | ${cell(row.type)} | ${defaultOf(row)} | ${cell(row.meaning)} |`),
      ].join('\n'),
    )
    .join('\n\n');
}
