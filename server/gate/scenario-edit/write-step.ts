import type { Action, Expectation, Target, Text } from "../../run/language/ast.ts";

/**
 * A step as it is written in a scenario file, without its number: what `readStep` reads as this action. Null for the verbs
 * that no mending changes.
 * @param withinMs null for the runner's own
 */
export function writeStep(action: Action, withinMs: number | null): string | null {
  const words = wordsOf(action);
  if (words === null) return null;
  return withinMs === null
    ? words
    : `${words} within ${withinMs % 1000 === 0 ? `${withinMs / 1000}s` : `${withinMs}ms`}`;
}

const ACTS = {
  click: "click",
  double_click: "double click",
  check: "check",
  uncheck: "uncheck",
  hover: "hover",
  scroll: "scroll to",
} as const;

function wordsOf(action: Action): string | null {
  switch (action.verb) {
    case "click":
    case "double_click":
    case "check":
    case "uncheck":
    case "hover":
    case "scroll":
      return `${ACTS[action.verb]} ${writeTarget(action.target)}`;
    case "fill":
      return `fill ${writeTarget(action.target)} with ${writeText(action.value)}`;
    case "type":
      return `type ${writeText(action.text)}${action.target ? ` in ${writeTarget(action.target)}` : ""}`;
    case "press":
      return `press ${writeText(action.key)}${action.target ? ` in ${writeTarget(action.target)}` : ""}`;
    case "select":
      return `select ${writeText(action.option)} in ${writeTarget(action.target)}`;
    case "upload":
      return `upload ${action.files.map(writeText).join(", ")} to ${writeTarget(action.target)}`;
    case "drag":
      return `drag ${writeTarget(action.target)} to ${writeTarget(action.to)}`;
    case "wait_for":
      return `wait for ${writeTarget(action.target)}${action.state === "hidden" ? " hidden" : ""}`;
    case "wait_for_url":
      return `wait for url ${writeText(action.url)}`;
    case "wait_for_request":
      return `wait for request ${action.method === null ? "" : `${action.method} `}${writeText(action.url)}`;
    case "expect":
      return `expect ${action.not ? "not " : ""}${expected(action.expectation)}`;
    default:
      return null;
  }
}

function expected(expectation: Expectation): string {
  switch (expectation.type) {
    case "text":
      return `text ${writeText(expectation.text)}${expectation.target ? ` in ${writeTarget(expectation.target)}` : ""}`;
    case "url":
    case "title":
      return `${expectation.type} ${writeText(expectation.text)}`;
    case "count":
      return `count ${expectation.count} of ${writeTarget(expectation.target)}`;
    case "value":
      return `value ${writeText(expectation.text)} in ${writeTarget(expectation.target)}`;
    case "request": {
      const { method, url, status } = expectation;
      return `request ${method === null ? "" : `${method} `}${writeText(url)}${status === null ? "" : ` status ${status}`}`;
    }
    default:
      return `${expectation.type} ${writeTarget(expectation.target)}`;
  }
}

export function writeTarget(target: Target): string {
  return [
    target.by === "role" ? (target.role ?? "") : target.by,
    ...(target.value === undefined ? [] : [writeText(target.value)]),
    ...(target.nth === undefined ? [] : [`nth ${target.nth}`]),
    ...(target.in ? [`in ${writeTarget(target.in)}`] : []),
    ...(target.near ? [`near ${writeTarget(target.near)}`] : []),
  ].join(" ");
}

/** With its quotes; references stay references. */
export function writeText(text: Text): string {
  const parts = typeof text === "string" ? [text] : text.parts;
  const body = parts.map((part) => (typeof part === "string" ? escaped(part) : `\${${part.ref}}`)).join("");
  return `"${body}"`;
}

const ESCAPES: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t" };

/** A dollar sign begins a reference only before a brace. */
const escaped = (text: string): string =>
  text.replace(/["\\\n\t]|\$(?=\{)/g, (character) => ESCAPES[character] ?? "\\$");
