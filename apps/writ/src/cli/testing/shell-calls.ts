interface Token {
  readonly text: string;
  readonly isOperator: boolean;
}

/** Words, operators and comments of one line for a shell; quotes around words are taken away. */
function tokens(line: string): readonly Token[] {
  const pattern = /\s+|#.*$|(\$\(|<\(|&&|\|\||[|;>)<&])|((?:"[^"]*"|'[^']*'|\\.|[^\s|;><&)"'\\])+)/g;
  return [...line.matchAll(pattern)].flatMap(([, operator, word]): Token[] => {
    if (operator !== undefined) return [{ text: operator, isOperator: true }];
    if (word === undefined) return [];
    return [{ text: word.replaceAll(/"([^"]*)"|'([^']*)'|\\(.)/g, '$1$2$3'), isOperator: false }];
  });
}

/** The calls of `writ` in a line that is typed into a shell: the words behind `writ` of each. */
export function callsIn(line: string): string[][] {
  // A call inside of quotes, as in X="$(writ …)", is one too.
  const open = line.replaceAll(/"\$\(([^)]*)\)"/g, '$($1)').replaceAll('=$(', '= $(');
  const calls: string[][] = [];
  let call: string[] | undefined;
  let isStart = true;
  for (const { text, isOperator } of tokens(open)) {
    if (isOperator) {
      call = undefined;
      // What follows `>` is a file.
      isStart = text !== '>' && text !== '<';
    } else if (call !== undefined) {
      call.push(text);
    } else if (isStart && text === 'writ') {
      call = [];
      calls.push(call);
    }
  }
  return calls;
}
