/**
 * Small changes of one statement of SQL: each condition made true, each bound moved by one, each order turned round, each
 * limit raised by one, each count of a version left out. Texts are taken as the stores write them, not parsed.
 */

const OPERAND = String.raw`(?:[\w.@]+\([^()]*\)|\([\w.@, ]+\)|'[^']*'|[\w.@]+|\?)`;
const COMPARED = new RegExp(
  String.raw`(?<=\b(?:WHERE|AND|OR|WHEN|NOT)\s+\(*|[^\w)]\()(?!NOT\b|SELECT\b)${OPERAND}\s*(?:(<>|<=|>=|=|<|>)|\bIS(?: NOT)?\b|\bLIKE\b)\s*(?:NULL\b|${OPERAND})(?!\s*[-+])`,
  'g',
);
const AMONG = /[\w.]+ (?:NOT )?IN \((?!SELECT)[^()]*\)/g;
const EXISTS = /(?:NOT )?EXISTS \(/g;
const BOUND = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** Every statement that `sql` becomes by one change, with what was changed. */
export function sqlChanges(sql) {
  const changes = [];
  const put = (from, to, text, what) => changes.push({ what, sql: sql.slice(0, from) + text + sql.slice(to) });
  const makeTrue = (from, to) => {
    const condition = sql.slice(from, to);
    put(from, to, `(${condition} OR TRUE)`, `${oneLine(condition)} → true`);
  };
  for (const { 0: condition, 1: operator, index } of sql.matchAll(COMPARED)) {
    makeTrue(index, index + condition.length);
    const moved = BOUND[operator];
    if (moved === undefined) continue;
    const at = index + condition.indexOf(operator);
    put(at, at + operator.length, moved, `${oneLine(condition)} → ${moved}`);
  }
  for (const { 0: condition, index } of sql.matchAll(AMONG)) makeTrue(index, index + condition.length);
  for (const { 0: begin, index } of sql.matchAll(EXISTS)) makeTrue(index, endOfGroup(sql, index + begin.length));
  for (const { 0: order, 1: by, 2: down, index } of sql.matchAll(/ORDER BY ([\w.]+)( DESC)?/g)) {
    put(index, index + order.length, `ORDER BY ${by}${down ? '' : ' DESC'}`, `${order} → turned round`);
  }
  for (const { 0: limit, 1: most, index } of sql.matchAll(/LIMIT (@\w+|\?)/g)) {
    put(index, index + limit.length, `LIMIT ${most} + 1`, `${limit} → + 1`);
  }
  for (const { 0: count, index } of sql.matchAll(/version = version \+ 1/g)) {
    put(index, index + count.length, 'version = version', `${count} → left out`);
  }
  return changes;
}

/** Behind the parenthesis that closes the one before `from`. */
function endOfGroup(sql, from) {
  let depth = 1;
  let at = from;
  while (depth > 0 && at < sql.length) {
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    at += 1;
  }
  return at;
}

export function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}
