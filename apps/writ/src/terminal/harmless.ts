import { visible } from '@writ/core';

const ESCAPE = '\u001b';
/** Colours, as this program itself writes them; everything else that a terminal obeys is written out. */
const COLOUR = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`);

/** Text of others for a terminal: line ends and tabs stay, every other control or format character is written out. */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

/** The same, but for the colours of this program. */
export function harmlessColoured(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : harmless(part)))
    .join('');
}

/** Bytes of a stream of text, piece by piece, for a terminal; a character that is cut apart waits for its rest. */
export function createHarmlessDecoder(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder();
  let held = '';
  return (bytes) => {
    const text = held + decoder.decode(bytes, { stream: true });
    // Whether a line end follows is seen with the next piece.
    held = text.endsWith('\r') ? '\r' : '';
    return harmless(text.slice(0, text.length - held.length));
  };
}
