const LONGEST_PATTERN = 200;
const LONGEST_VALUE = 80;
const MOST_TRIES = 200_000;
const TOKEN = /\\.|\[(?:\\.|[^[\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\{\d+(?:,\d*)?\}\??|[*+?]\??|./gs;

/**
 * Whether the pattern of a field allows a value, as browsers ask it: of the whole value, with the flag `v`.
 * @returns null where browsers take the pattern for none, or the answer could take long: archives come from anybody
 */
export function allows(pattern: string, value: string): boolean | null {
  if (pattern.length > LONGEST_PATTERN || value.length > LONGEST_VALUE) return null;
  if (triesOf(pattern, value.length) > MOST_TRIES) return null;
  try {
    return new RegExp(`^(?:${pattern})$`, "v").test(value);
  } catch {
    return null;
  }
}

/** How often an engine may begin anew at most. What repeats a part that can itself be met in several ways has no bound. */
function triesOf(pattern: string, length: number): number {
  const groups = [{ isVarying: false }];
  let [tries, repeats] = [1, 0];
  let closed: { isVarying: boolean } | undefined;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const repeated = closed;
    closed = undefined;
    const around = groups.at(-1)!;
    if (token.startsWith("(")) groups.push({ isVarying: false });
    else if (token === ")") {
      closed = groups.pop();
      if (groups.length === 0) return Number.POSITIVE_INFINITY;
      if (closed!.isVarying) groups.at(-1)!.isVarying = true;
    } else if (token === "[" || token === "]") return Number.POSITIVE_INFINITY;
    else if (token === "|") {
      around.isVarying = true;
      tries *= 2;
    } else if (/^(?:[*+?]|\{\d)/.test(token)) {
      if (repeated?.isVarying || /\d{4}/.test(token)) return Number.POSITIVE_INFINITY;
      const isFixed = /^\{\d+\}/.test(token);
      if (!isFixed || repeated) around.isVarying = true;
      if (token.startsWith("?")) tries *= 2;
      else if (!isFixed) {
        repeats++;
        tries *= (length + repeats) / repeats;
      }
    }
  }
  return tries;
}
