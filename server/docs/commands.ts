import { code, escapeText, table } from "./table.ts";

interface Term {
  term: string;
  is: string;
}

/** A command as its `--help` tells of it. */
export interface CommandText {
  /** With the program's name: `tracedeck traces list`. */
  name: string;
  description: string;
  usage: string;
  arguments: Term[];
  options: Term[];
  /** Below the options: examples. */
  more: string;
}

/** The topic of the command line, as Markdown. */
export function commandsTopic(commands: readonly CommandText[]): string {
  return [
    "# The command line",
    "Every command has `--help`, which says what stands here. Commands that print records take `--json`: then an error too is JSON on standard output, `{ error, message }`. Exit codes: 0 done, 1 failed, 2 used wrongly. [Error codes](/docs/errors) tells what each error means.",
    "Commands that work on a data folder take `--data`, else `TRACEDECK_DATA`, else the user's own; see [the environment](/docs/settings#environment). When a server runs on the folder they ask it, otherwise they open the folder themselves.",
    table(
      ["command", "does"],
      commands.map(({ name, description }) => [
        `[${code(name)}](#${idOf(name)})`,
        firstSentence(description),
      ]),
    ),
    ...commands.flatMap((command) => [
      `## ${command.name} {#${idOf(command.name)}}`,
      sentence(command.description),
      `\`\`\`sh usage\n${command.usage}\n\`\`\``,
      terms("argument", command.arguments),
      terms("option", command.options),
      more(command.more),
    ]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const idOf = (name: string): string => name.replace("tracedeck ", "").replaceAll(" ", "-");

const sentence = (text: string): string => {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return escapeText(/[.!?]$/.test(first) ? first : `${first}.`);
};

const firstSentence = (text: string): string => escapeText(text.split(/(?<=\.) /)[0]!);

const terms = (head: string, all: readonly Term[]): string =>
  table(
    [head, "is"],
    all.map(({ term, is }) => [code(term), escapeText(is)]),
  );

/** Indented lines are shown as they are, those after a `$` to be copied; the others are prose. */
function more(text: string): string {
  if (text === "") return "";
  const blocks = text.split(/\n(?=\S)|\n\n/).filter((block) => block.trim() !== "");
  return blocks
    .map((block) => {
      const lines = block.split("\n");
      const prose = lines.filter((line) => !line.startsWith("  "));
      const indented = lines.filter((line) => line.startsWith("  "));
      const language = indented.some((line) => line.startsWith("  $ ")) ? "sh" : "";
      const shown = indented.map((line) => line.slice(2).replace(/^\$ /, ""));
      return [
        ...(prose.length > 0 ? [escapeText(prose.join(" "))] : []),
        ...(shown.length > 0 ? [`\`\`\`${language}\n${shown.join("\n")}\n\`\`\``] : []),
      ].join("\n\n");
    })
    .join("\n\n");
}
