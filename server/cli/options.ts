import { type Command, InvalidArgumentError } from "commander";
import { fromIso, systemClock, toIso } from "../platform/clock.ts";
import { parseSearch } from "../trace/format/search-tokens.ts";

/** Options that every command has. */
export interface CommonOptions {
  data?: string;
  json?: boolean;
}

/** `--data DIR`. */
export function withData(command: Command): Command {
  return command.option("--data <dir>", "data folder (default: TRACEDECK_DATA, else the user's data folder)");
}

/** `--data DIR` and `--json`. */
export function withRecords(command: Command): Command {
  return withData(command).option("--json", "print the answer as JSON; { error, message } when it fails");
}

/** The command's help ends with an example. */
export function example(command: Command, ...lines: string[]): Command {
  return command.addHelpText("after", `\nExample:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`);
}

/** Parser of an option that is a whole number from `min` up, perhaps to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

/** An option that is a time. */
export function isoTime(text: string): string {
  if (fromIso(text) !== null) return text;
  throw new InvalidArgumentError("It must be an ISO 8601 time, like 2031-01-31 or 2031-01-31T08:00:00Z.");
}

const SPAN_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** An option that is a time to come: ISO 8601, or how far ahead it lies, like 90d. @returns ISO 8601 */
export function timeAhead(text: string): string {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (count && unit) return toIso(systemClock.now() + Number(count) * SPAN_MS[unit]!);
  if (fromIso(text) !== null) return text;
  throw new InvalidArgumentError(
    "It must be how far ahead it lies, like 12h, 90d or 4w, or an ISO 8601 time.",
  );
}

/** An option or argument that is a UUID. */
export function uuid(text: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("It must be a UUID, as `list` shows it.");
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An option that is the address of a server. */
export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It must be an http(s) address.");
}

/** Parser of an option that is one of a few words. */
export function oneOf(...words: string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`It must be one of ${words.join(", ")}.`);
  };
}

/** A search as the viewer's field takes it. */
export function searchText(text: string): string {
  const wrong = parseSearch(text, systemClock.now()).find(({ error }) => error !== null);
  if (wrong) throw new InvalidArgumentError(wrong.error!);
  return text;
}
