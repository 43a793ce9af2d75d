import { SingleBar } from "cli-progress";
import type { ErrorCode } from "../http/errors.ts";
import { systemClock } from "../platform/clock.ts";
import { readTerminal } from "../platform/terminal.ts";
import { span } from "../trace/format/words.ts";

/** A failure that is told in one sentence and needs no stack. */
export class CliError extends Error {
  override name = "CliError";
  /** As the API names it. */
  readonly code: string;
  /** Where a server that runs tells more; null where none does. */
  readonly help: string | null;

  constructor(
    message: string,
    code: ErrorCode | (string & {}) = "invalid_request",
    help: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.help = help;
  }
}

/** A command that was used wrongly in a way its parser does not see: exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Writes a line to standard output. */
export function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line to standard error, for what is not the command's result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function sayJson(value: unknown): void {
  say(JSON.stringify(value, null, 2));
}

export type Tone = "good" | "bad" | "weak" | "strong";
const CODES: Record<Tone, [number, number]> = {
  good: [32, 39],
  bad: [31, 39],
  weak: [2, 22],
  strong: [1, 22],
};

/** Text with a colour where the terminal has colours. The words alone must say the same. */
export function tone(text: string, kind: Tone): string {
  if (!readTerminal().hasColour) return text;
  const [on, off] = CODES[kind];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}

/** What somebody recorded, made fit for a terminal: no control characters, so no escape sequences, one line. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, " ");
}

/**
 * Rows as aligned columns under headings. On a terminal the last column is cut to its width.
 * Cells are made printable; `paint` may colour a finished cell.
 */
export function table(
  headings: string[],
  rows: string[][],
  paint: (cell: string, column: number, row: number) => string = (cell) => cell,
): void {
  // On standard error: whoever pipes the rows on gets none.
  if (rows.length === 0) {
    note("There are none.");
    return;
  }
  const { isInteractive, width } = readTerminal();
  const cells = rows.map((row) => row.map(printable));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const fit = (row: string[], draw: (cell: string, column: number) => string) => {
    let used = 0;
    const parts = row.map((cell, column) => {
      const isLast = column === row.length - 1;
      const room = isLast && isInteractive ? Math.max(10, width - used - 1) : Number.POSITIVE_INFINITY;
      const text = Bun.stringWidth(cell) > room ? `${Bun.sliceAnsi(cell, 0, room - 1)}…` : cell;
      used += widths[column]! + 2;
      const padding = isLast ? "" : " ".repeat(Math.max(0, widths[column]! - Bun.stringWidth(text)));
      return draw(text, column) + padding;
    });
    say(parts.join("  ").trimEnd());
  };
  fit(headings, (cell) => tone(cell, "weak"));
  for (const [index, row] of cells.entries()) fit(row, (cell, column) => paint(cell, column, index));
}

/** Bytes for people: `1.5 MiB`. */
export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  const value = count / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** Milliseconds for people: `850 ms`, `3.2 s`, `4 m 05 s`, `1 h 04 min`, `61 d 19 h`. */
export function duration(ms: number): string {
  return span(ms, shortDuration);
}

function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
}

export interface Progress {
  /** Units done so far, and how many there are in all where that changes. */
  update(done: number, total?: number): void;
  /** Takes the bar away; `line` stays in its place. */
  end(line?: string): void;
}

/** Progress of long work: a bar on a terminal, else a line at the start and then one every few seconds. */
export function progress(label: string, total: number, show: (units: number) => string = String): Progress {
  if (!readTerminal().hasProgress) return plainProgress(label, total, show);
  const bar = new SingleBar({
    format: `${label} {bar} {percentage}%  {shown}`,
    stream: process.stderr,
    barCompleteChar: "━",
    barIncompleteChar: "·",
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    fps: 10,
  });
  bar.start(total, 0, { shown: show(0) });
  return {
    update(done, newTotal) {
      if (newTotal !== undefined) bar.setTotal(newTotal);
      bar.update(done, { shown: show(done) });
    },
    end(line) {
      bar.stop();
      if (line) note(line);
    },
  };
}

const LINE_EVERY_MS = 3000;

function plainProgress(label: string, total: number, show: (units: number) => string): Progress {
  let all = total;
  let lastAt = systemClock.monotonic();
  if (total > 0) note(`${label} (${show(total)})`);
  return {
    update(done, newTotal) {
      all = newTotal ?? all;
      if (systemClock.monotonic() - lastAt < LINE_EVERY_MS) return;
      lastAt = systemClock.monotonic();
      note(`${label} ${all > 0 ? Math.floor((done / all) * 100) : 0}%  ${show(done)}`);
    },
    end(line) {
      if (line) note(line);
    },
  };
}
