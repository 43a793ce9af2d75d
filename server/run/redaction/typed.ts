/** Shorter ones would be found everywhere in texts: they are masked where they are a value. */
const SHORTEST_WORD = 4;
const SHORTEST = 3;
/** What pages are made of: somebody who types it as a password would have no page left to look at. */
const OF_MARKUP = new Set(
  "password passwd text email number search hidden submit button input form label name type value true false null none auto code token secret user username admin test body html head main style script class link title color black white login signin".split(
    " ",
  ),
);

/** What a run typed into fields that nobody is to read; it grows while the run goes on. */
export interface TypedValues {
  /** From now on the value is masked. */
  add(value: string): void;
  /** From now on the whole text is shown as another: a step's title that holds a value. */
  show(text: string, as: string): void;
  /** Is called after each value that `words` has got. */
  onWord(hear: () => void): void;
  /** Those that are masked wherever a text means them, as words of their own; it only grows. */
  readonly words: ReadonlySet<string>;
  /** Without titles and values that are too short to be words. @param masked is called for each place */
  mask(text: string, masked: () => string): string;
  /** Whether `mask` may change a text; quicker than that. */
  concerns(text: string): boolean;
  /** Whether it was typed, just so. */
  has(value: string): boolean;
}

export function createTypedValues(): TypedValues {
  const values = new Set<string>();
  const titles = new Map<string, string>();
  const words = new Set<string>();
  const short = new Set<string>();
  let pattern: RegExp | null = null;
  let hear = () => {};

  return {
    words,
    onWord(given) {
      hear = given;
    },
    add(value) {
      if (value === "" || values.has(value)) return;
      values.add(value);
      if (OF_MARKUP.has(value)) return;
      if (value.length >= SHORTEST_WORD) {
        words.add(value);
        hear();
      } else if (value.length >= SHORTEST) {
        short.add(value);
        pattern = patternOf(short);
      }
    },
    show: (text, as) => void titles.set(text, as),
    mask(text, masked) {
      const shown = titles.get(text);
      if (shown !== undefined) {
        masked();
        return shown;
      }
      if (short.has(text)) return masked();
      return pattern ? text.replace(pattern, masked) : text;
    },
    concerns: (text) =>
      [...short].some((one) => text.includes(one)) ||
      [...titles.keys()].some((title) => text.includes(JSON.stringify(title).slice(1, -1))),
    has: (value) => values.has(value),
  };
}

/** Short ones between quotes, or as a form has them. */
function patternOf(short: ReadonlySet<string>): RegExp {
  const any = [...short].map(escapeRegExp).join("|");
  return new RegExp(`(?<=["'=])(?:${any})(?=["'&\\\\]|$)`, "g");
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
