const [COMMA, BRACKET, BRACE, QUOTE, BACKSLASH] = [0x2c, 0x5b, 0x7b, 0x22, 0x5c];

/**
 * Whether JSON in UTF-8 holds more than `most` values: lists and objects count, and what is in them, but no keys. Nothing is read
 * for that, so that it takes a fraction of what a parser does, and nothing once there are too many. An empty list or object counts
 * as two; what is no JSON is counted too, in some way.
 */
export function holdsMoreValues(json: Uint8Array, most: number): boolean {
  let count = 1;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      count += 1;
      if (count > most) return true;
    }
  }
  return count > most;
}
