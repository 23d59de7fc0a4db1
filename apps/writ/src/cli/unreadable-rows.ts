import { quote } from '@writ/core';

/** Most rows that are named. */
const NAMED = 3;

/** That stored rows are left out, for a person; at least one. */
export function unreadableText(rows: readonly string[]): string {
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : '';
  return `stored rows that cannot be read are left out: ${rows.slice(0, NAMED).map(quote).join(', ')}${more}`;
}
