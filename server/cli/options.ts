import { type Command, InvalidArgumentError } from "commander";

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
  return withData(command).option("--json", "print the answer as JSON");
}

/** The command's help ends with an example. */
export function example(command: Command, ...lines: string[]): Command {
  return command.addHelpText("after", `\nExample:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`);
}

/** Parser of an option that is a whole number from `min` up. */
export function wholeNumber(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${min} or more.`);
  };
}

/** Parser of an option that is one of a few words. */
export function oneOf(...words: string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`It must be one of ${words.join(", ")}.`);
  };
}
