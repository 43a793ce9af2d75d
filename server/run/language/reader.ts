import type { Text } from "./ast.ts";
import { nearest } from "./nearest.ts";
import { excerpt, StepProblem } from "./problem.ts";
import type { Token } from "./tokens.ts";

/** Goes through the tokens of a step. What is asked for and not there is a `StepProblem` at that place. */
export interface Reader {
  peek(): Token;
  /** Whether the next word is this one; it is not taken. */
  isAt(word: string): boolean;
  /** Takes the next word if it is this one. */
  takes(word: string): boolean;
  /** Takes this word, which must be next. */
  word(word: string): void;
  /** Takes the next word, which must be one of these. */
  oneOf<T extends string>(words: readonly T[], what: string): T;
  text(what: string): Text;
  /** A text without references. */
  plainText(what: string): string;
  number(what: string): number;
  duration(what: string): number;
  comma(): boolean;
  end(): void;
  fail(what: string, expected: string[]): never;
}

export function createReader(tokens: readonly Token[]): Reader {
  let at = 0;
  const peek = (): Token => tokens[at] as Token;
  const take = (): Token => {
    const token = peek();
    if (token.type !== "end") at += 1;
    return token;
  };

  const shown = (token: Token): string =>
    token.type === "end" ? "the end of the step" : excerpt(token.source);
  function fail(what: string, expected: string[]): never {
    const token = peek();
    const near = token.type === "word" ? nearest(token.source, expected) : null;
    const hint = near ? `; did you mean "${near}"?` : "";
    throw new StepProblem(token.offset, `${what} was expected, not ${shown(token)}${hint}`, expected);
  }

  const isAt = (word: string): boolean => {
    const token = peek();
    return token.type === "word" && token.source === word;
  };
  const takes = (word: string): boolean => {
    if (!isAt(word)) return false;
    take();
    return true;
  };
  function text(what: string): Text {
    const token = peek();
    if (token.type !== "text") fail(`${what} in double quotes`, ['"…"']);
    take();
    return token.value;
  }

  return {
    peek,
    isAt,
    takes,
    word(word) {
      if (!takes(word)) fail(`"${word}"`, [word]);
    },
    oneOf(words, what) {
      const found = words.find((word) => isAt(word));
      if (found === undefined) fail(what, [...words]);
      take();
      return found;
    },
    text,
    plainText(what) {
      const { offset } = peek();
      const value = text(what);
      if (typeof value !== "string")
        throw new StepProblem(offset, `${what} is read before the run, so it can hold no reference`);
      return value;
    },
    number(what) {
      const token = peek();
      if (token.type !== "number") fail(what, ["number"]);
      take();
      return token.value;
    },
    duration(what) {
      const token = peek();
      if (token.type !== "duration") fail(`${what} such as 250ms, 5s, 2h or 1h30m`, ["duration"]);
      take();
      return token.ms;
    },
    comma() {
      if (peek().type !== "comma") return false;
      take();
      return true;
    },
    end() {
      if (peek().type !== "end") fail("the end of the step", []);
    },
    fail,
  };
}
