import type { Action, CompiledScenario, CompiledStep, Text } from "./ast.ts";
import { showText } from "./compile.ts";
import { columnOf, type Problem } from "./problem.ts";
import { type Token, tokenize } from "./tokens.ts";

type TextToken = Extract<Token, { type: "text" }>;

/** Names of fields whose value has no place in a file. */
const SECRET_NAME =
  /passw|passphrase|passcode|\bpwd\b|\bpin\b|secret|api.?key|\btoken\b|\bcv[cv]\b|security code|card number/i;

/** A step without the text that it sends: what is typed, or a request's body. References stay. */
export function withoutLiteral(step: CompiledStep, instead: string): string {
  const token = literalOf(step);
  if (!token) return step.source;
  const { offset, source } = token;
  return `${step.source.slice(0, offset)}${instead}${step.source.slice(offset + source.length)}`;
}

/** Passwords and their like that stand in a file for everybody to read. They keep nothing from running. */
export function secretsInTheOpen({ steps }: CompiledScenario): Problem[] {
  return steps.flatMap((step) => {
    const token = isNamedSecret(step) ? literalOf(step) : null;
    if (!token) return [];
    const column = step.at.column + columnOf(step.source, token.offset) - 1;
    const message =
      'a value that nobody is to know stands here for everybody: use "${secrets.NAME}", and give it in TRACEDECK_SECRET_NAME';
    return [{ ...step.at, column, message, expected: ['"${secrets.NAME}"'] }];
  });
}

/** Whether a step types into a field that is called like a password, a code or a card's number. */
export function isNamedSecret({ action }: CompiledStep): boolean {
  if (action.verb !== "fill" && action.verb !== "type") return false;
  const name = action.target?.value;
  return name !== undefined && SECRET_NAME.test(showText(name));
}

/** Null where it is references alone. */
function literalOf({ action, source }: CompiledStep): TextToken | null {
  const text = sentBy(action);
  if (text === null || !hasLiteral(text)) return null;
  const shown = showText(text);
  const tokens = tokenize(source, 0).filter((token): token is TextToken => token.type === "text");
  // The text that is typed comes first, a value that is filled in and a body last.
  const fitting = tokens.filter(({ value }) => showText(value) === shown);
  return (action.verb === "type" ? fitting[0] : fitting.at(-1)) ?? null;
}

function sentBy(action: Action): Text | null {
  if (action.verb === "fill") return action.value;
  if (action.verb === "type") return action.text;
  return action.verb === "request" ? action.body : null;
}

/** Whether there is more to a text than references. */
export const hasLiteral = (text: Text): boolean =>
  typeof text === "string" ? text !== "" : text.parts.some((part) => typeof part === "string");
