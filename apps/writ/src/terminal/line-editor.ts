import { StringDecoder } from 'node:string_decoder';
import { WritError } from '@writ/core';

/** Most characters of a line; what is typed beyond them is dropped. */
const LONGEST = 4096;

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const ESCAPE = '\u001b';

/** Makes lines of the keys of a terminal that neither echoes nor edits. */
export interface LineEditor {
  /** Waits for one line. Throws CANCELLED after an interrupt, INTERNAL while another one is asked. */
  ask(prompt: string, how: { readonly isSecret: boolean }): Promise<string>;
  /** Takes keys; without a line that is asked they are dropped. */
  take(keys: Uint8Array): void;
  /** Ends the line that is asked, and every later one. */
  interrupt(): void;
}

interface Asked {
  readonly isSecret: boolean;
  text: string;
  resolve(line: string): void;
  reject(error: WritError): void;
}

export function createLineEditor(write: (text: string) => void, onInterrupt: () => void): LineEditor {
  const decoder = new StringDecoder('utf8');
  let asked: Asked | undefined;
  let isInterrupted = false;
  const interrupt = (): void => {
    if (isInterrupted) return;
    isInterrupted = true;
    if (asked !== undefined) write('\n');
    asked?.reject(cancelled());
    asked = undefined;
    onInterrupt();
  };
  const enter = ({ text, resolve }: Asked): void => {
    write('\n');
    asked = undefined;
    resolve(text);
  };
  return {
    ask(prompt, { isSecret }) {
      if (isInterrupted) return Promise.reject(cancelled());
      if (asked !== undefined) return Promise.reject(new WritError('INTERNAL', 'two lines are asked at once'));
      write(prompt);
      return new Promise((resolve, reject) => {
        asked = { isSecret, text: '', resolve, reject };
      });
    },
    take(keys) {
      for (const key of decoder.write(Buffer.from(keys))) {
        // An arrow or a function key, as one write: nothing of it is text.
        if (key === ESCAPE) return;
        if (key === CTRL_C || (key === CTRL_D && asked?.text === '')) interrupt();
        else if (asked !== undefined && (key === '\r' || key === '\n')) enter(asked);
        else if (asked !== undefined) edit(asked, key, write);
      }
    },
    interrupt,
  };
}

/** What a terminal would obey, or show as nothing; a passphrase may hold any space and any mark. */
const MOVING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/u;

function edit(line: Asked, key: string, write: (text: string) => void): void {
  if (key === '\b' || key === '\u007f') {
    const shorter = [...line.text].slice(0, -1).join('');
    if (!line.isSecret && shorter !== line.text) write('\b \b');
    line.text = shorter;
  } else if (key === CTRL_U) {
    if (!line.isSecret) write('\b \b'.repeat([...line.text].length));
    line.text = '';
  } else if (!MOVING.test(key) && line.text.length < LONGEST) {
    line.text += key;
    if (!line.isSecret) write(key);
  }
}

function cancelled(): WritError {
  return new WritError('CANCELLED', 'nothing was answered');
}
