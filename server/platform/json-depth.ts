/** How deep JSON from outside may nest. What works on it recursively (checks, serialising) fails or stalls far beyond. */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Whether a JSON text (UTF-8) nests deeper than `MAX_JSON_DEPTH`; told before it is parsed, from its brackets. */
export function isNestedTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (isInText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
