import { counted } from "../words.ts";
import type { ComparedDimension, DiffItem, DiffSide } from "./types.ts";

const MAX_QUOTED = 160;

/** What the traces are called: as a sentence has them behind `only` and `in`. */
export interface Names {
  a: string;
  b: string;
}

const LETTERS: Names = { a: "A", b: "B" };

/** One item in a sentence of plain text that names the traces: `POST /cart answered 200 in A and 500 in B.` */
export function divergenceWords(
  dimension: ComparedDimension,
  item: DiffItem,
  names: Names = LETTERS,
): string {
  if (item.change === "same") return "Nothing differs.";
  return WORDS_OF[dimension](item, names);
}

function stepWords(item: DiffItem, names: Names): string {
  const { a, b, detail } = item;
  const title = quoted((b ?? a)?.title ?? item.key);
  if (!a) return `Only ${names.b} has the step ${title}${failedWith(b)}.`;
  if (!b) return `Only ${names.a} has the step ${title}${failedWith(a)}.`;
  if (detail?.now === "failing")
    return `${title} passed in ${names.a} and failed in ${names.b}${because(b)}.`;
  if (detail?.now === "passing")
    return `${title} failed in ${names.a} and passed in ${names.b}${because(a)}.`;
  const first = detail?.differences?.[0];
  if (first?.path === "/title")
    return `Where ${names.a} has the step ${quoted(first.a)}, ${names.b} has ${quoted(first.b)}.`;
  return `${title}: ${differenceWords(item, names)}.`;
}

function networkWords(item: DiffItem, names: Names): string {
  const { key, change, detail } = item;
  const side = item.b ?? item.a;
  const name = `${text(side?.method)} ${pathOf(text(side?.url)) || key}`.trim();
  const often = times(item);
  if (change !== "changed") return `Only ${change === "added" ? names.b : names.a} sends ${name}${often}.`;
  const first = detail?.differences?.[0];
  if (first?.path === "/status") {
    const [before, after] = [answered(item.a), answered(item.b)];
    const isTwice = before.startsWith(ANSWERED) && after.startsWith(ANSWERED);
    return `${name} ${before} in ${names.a} and ${isTwice ? after.slice(ANSWERED.length) : after} in ${names.b}.`;
  }
  if (first?.path === "/url")
    return `Where ${names.a} sends ${pathOf(text(first.a))}, ${names.b} sends ${pathOf(text(first.b))}.`;
  return `${name}: ${differenceWords(item, names)}.`;
}

const ANSWERED = "answered ";
const answered = (side: DiffSide | undefined) =>
  typeof side?.status === "number" && side.status > 0
    ? `${ANSWERED}${side.status}`
    : typeof side?.error === "string"
      ? `failed (${side.error})`
      : "got no answer";

function pageWords(item: DiffItem, names: Names): string {
  const { key, change, a, b } = item;
  if (key === "page" || key.startsWith("page "))
    return `The page is ${pathOf(text(a?.url))} in ${names.a} and ${pathOf(text(b?.url))} in ${names.b}.`;
  const name = key.startsWith("mutation ") ? `the change of ${key.slice("mutation ".length)}` : key;
  if (change === "changed") return `${name}: ${differenceWords(item, names)}.`;
  const shown = text((b ?? a)?.text);
  return `Only ${change === "added" ? names.b : names.a} has ${name}${shown ? ` with ${quoted(shown)}` : ""}.`;
}

function consoleWords(item: DiffItem, names: Names): string {
  const side = item.b ?? item.a;
  const level = text(side?.kind).replace("console.", "");
  if (item.change === "changed") return `A ${level} of the console: ${differenceWords(item, names)}.`;
  const who = item.change === "added" ? names.b : names.a;
  return `Only ${who} logs ${/^[aeiou]/.test(level) ? "an" : "a"} ${level}${times(item)}: ${quoted(side?.text)}.`;
}

function worldWords(item: DiffItem, names: Names): string {
  const side = item.b ?? item.a;
  const name = `${WORLD[text(side?.kind)] ?? text(side?.kind)} ${text(side?.subject)}`.trim();
  if (item.change === "changed") return `The ${name}: ${differenceWords(item, names)}.`;
  return `Only ${item.change === "added" ? names.b : names.a} has the ${name}.`;
}

const WORLD: Record<string, string> = {
  "clone.state": "clone's state",
  "clock.advance": "move of the clock",
  error_injection: "injected error",
  latency_injection: "injected delay",
};

const WORDS_OF: Record<ComparedDimension, (item: DiffItem, names: Names) => string> = {
  steps: stepWords,
  network: networkWords,
  dom: pageWords,
  clone: worldWords,
  console: consoleWords,
};

/** The first difference, and how many there are besides it. */
function differenceWords({ detail }: DiffItem, names: Names): string {
  const [first, ...others] = detail?.differences ?? [];
  if (!first) return "something differs";
  const more = others.length > 0 ? `, and ${counted(others.length, "more value")}` : "";
  const name = first.path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
  if (first.a === undefined) return `${name} is only in ${names.b}${shown(first.b)}${more}`;
  if (first.b === undefined) return `${name} is only in ${names.a}${shown(first.a)}${more}`;
  return `${name} is ${value(first.a)} in ${names.a} and ${value(first.b)} in ${names.b}${more}`;
}

function times({ detail }: DiffItem): string {
  const count = Math.max(detail?.times?.a ?? 0, detail?.times?.b ?? 0);
  return count > 1 ? `, ${count} times` : "";
}

function failedWith(side: DiffSide | undefined): string {
  return side?.status === "failed" ? `, which failed${because(side)}` : "";
}

/** Without the full stop that messages end with, and the sentence does too. */
function because(side: DiffSide | undefined): string {
  const error = text(side?.error);
  return error === "" ? "" : `: ${cutText(error).replace(/\.$/, "")}`;
}

const text = (of: unknown) => (typeof of === "string" ? of : "");
const cutText = (of: string) => (of.length > MAX_QUOTED ? `${of.slice(0, MAX_QUOTED - 1)}…` : of);
const quoted = (of: unknown) => `“${cutText(text(of).replace(/\s+/g, " ").trim())}”`;
/** Attributes such as `disabled` have no value. */
const shown = (of: unknown) => (of === "" ? "" : `, ${value(of)}`);
const value = (of: unknown) =>
  typeof of === "string" ? quoted(of) : cutText(JSON.stringify(of) ?? "nothing");

/** An address without its host, which differs between deployments. */
function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? `${parsed.pathname}${parsed.search}` : url;
}
