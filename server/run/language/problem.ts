import type { Place } from "./ast.ts";

/** Something that keeps a scenario file from being compiled. */
export interface Problem extends Place {
  /** What is wrong and what would be right. */
  message: string;
  /** What could stand at that place. */
  expected: string[];
}

/** `checkout.scenario.md:14:9: …`, as editors and terminals read it. */
export const formatProblem = ({ file, line, column, message }: Problem): string =>
  `${file}:${line}:${column}: ${message}`;

/** Ends the reading of one step; caught where steps are collected, so that every line is told of at once. */
export class StepProblem extends Error {
  override name = "StepProblem";
  /** Offset in UTF-16 units within the line. */
  readonly offset: number;
  readonly expected: string[];

  constructor(offset: number, message: string, expected: string[] = []) {
    super(message);
    this.offset = offset;
    this.expected = expected;
  }
}

/** The 1-based column of an offset: in code points, as people count. */
export const columnOf = (line: string, offset: number): number => [...line.slice(0, offset)].length + 1;

const LONGEST_EXCERPT = 80;

/** What stands in a file, short enough for a message. */
export const excerpt = (text: string): string =>
  text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT).replace(/[\uD800-\uDBFF]$/, "")}…` : text;

/** What is wrong with a file whose slug another file has. */
export const doubleSlug = (file: string, slug: string, other: string): Problem => ({
  file,
  line: 1,
  column: 1,
  message: `the slug "${slug}" is that of ${other} already`,
  expected: [],
});
