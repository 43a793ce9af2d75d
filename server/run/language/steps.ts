import type { Action, Target, Text } from "./ast.ts";
import { readExpectation } from "./expectations.ts";
import { METHODS, optionalMethod, optionalStatus } from "./http-words.ts";
import { nearest } from "./nearest.ts";
import { excerpt, StepProblem } from "./problem.ts";
import { createReader, type Reader } from "./reader.ts";
import { isTarget, readTarget } from "./targets.ts";
import { tokenize } from "./tokens.ts";

/** A step that is carried out, or one that stands for those of another scenario. */
export type ReadStep = { within_ms: number | null } & (
  | { action: Action }
  | { use: string; useOffset: number }
);

/** Runs take minutes, and timers take 24 days at most. The page's own clock is another one: it moves as far as it is told. */
const MAX_DELAY_MS = 24 * 3_600_000;

type Verb = (reader: Reader) => Action;
const on =
  (verb: "click" | "check" | "uncheck" | "hover"): Verb =>
  (reader) => ({ verb, target: readTarget(reader) });

const VERBS: Record<string, Verb> = {
  go: (reader) => {
    reader.word("to");
    return { verb: "go", url: reader.text("an address") };
  },
  click: on("click"),
  double: (reader) => {
    reader.word("click");
    return { verb: "double_click", target: readTarget(reader) };
  },
  fill: (reader) => {
    const target = readTarget(reader);
    reader.word("with");
    return { verb: "fill", target, value: reader.text("the value") };
  },
  type: (reader) => ({
    verb: "type",
    text: reader.text("what is typed"),
    target: optionalTarget(reader, "in"),
  }),
  press: (reader) => ({
    verb: "press",
    key: reader.plainText("a key, such as Enter or Control+A,"),
    target: optionalTarget(reader, "in"),
  }),
  select: (reader) => {
    const option = reader.text("the option");
    reader.word("in");
    return { verb: "select", option, target: readTarget(reader) };
  },
  check: on("check"),
  uncheck: on("uncheck"),
  hover: on("hover"),
  upload: (reader) => {
    const files: Text[] = [reader.text("a file")];
    while (reader.comma()) files.push(reader.text("a file"));
    reader.word("to");
    return { verb: "upload", files, target: readTarget(reader) };
  },
  drag: (reader) => {
    const target = readTarget(reader);
    reader.word("to");
    return { verb: "drag", target, to: readTarget(reader) };
  },
  scroll: (reader) => {
    reader.word("to");
    return { verb: "scroll", target: readTarget(reader) };
  },
  wait: readWait,
  expect: (reader) => {
    const not = reader.takes("not");
    return { verb: "expect", not, expectation: readExpectation(reader) };
  },
  advance: (reader) => {
    reader.word("clock");
    reader.word("by");
    return { verb: "advance_clock", by_ms: reader.duration("a duration") };
  },
  inject: readInjection,
  clear: (reader) => {
    reader.word("injections");
    return { verb: "clear_injections" };
  },
  screenshot: (reader) => ({
    verb: "screenshot",
    name: reader.peek().type === "text" ? reader.plainText("a name") : null,
  }),
  request: (reader) => {
    const method = reader.oneOf(METHODS, "a method, such as GET or POST,");
    const url = reader.text("an address");
    const body = reader.takes("with") ? reader.text("the body") : null;
    return { verb: "request", method, url, body, status: optionalStatus(reader) };
  },
  set: readSet,
};

/** The verbs as people write them. */
export const VERB_NAMES = [
  "go to",
  "click",
  "double click",
  "fill",
  "type",
  "press",
  "select",
  "check",
  "uncheck",
  "hover",
  "upload",
  "drag",
  "scroll to",
  "wait for",
  "wait",
  "expect",
  "advance clock by",
  "set clock to",
  "inject error",
  "inject latency",
  "clear injections",
  "screenshot",
  "request",
  "set",
  "use",
];

/**
 * Reads a step: the text of a line from an offset, after its number.
 * @throws StepProblem at the first thing that cannot stand where it stands
 */
export function readStep(line: string, from: number): ReadStep {
  const reader = createReader(tokenize(line, from));
  const first = reader.peek();
  if (first.type === "word" && first.source === "use") return readUse(reader);
  const verb = first.type === "word" && Object.hasOwn(VERBS, first.source) ? VERBS[first.source] : undefined;
  if (!verb) throw unknownVerb(first.offset, first.source);
  reader.takes(first.source);
  const action = verb(reader);
  const within = reader.takes("within") ? readDelay(reader, "a duration") : null;
  reader.end();
  return { action, within_ms: within };
}

/** As other languages call it: goto, waitFor. */
const inOneWord = (verb: string): string => verb.replaceAll(" ", "");

function unknownVerb(offset: number, source: string): StepProblem {
  if (source === "") return new StepProblem(offset, "a step was expected after its number", VERB_NAMES);
  const near = nearest(source, [...Object.keys(VERBS), "use", ...VERB_NAMES.map(inOneWord)]);
  const meant =
    near && (VERB_NAMES.find((name) => inOneWord(name) === near || name.startsWith(`${near} `)) ?? near);
  const hint = meant ? `; did you mean "${meant}"?` : `; a step begins with one of: ${VERB_NAMES.join(", ")}`;
  return new StepProblem(offset, `${excerpt(source)} is no verb${hint}`, VERB_NAMES);
}

/** How long a step waits. @throws StepProblem */
function readDelay(reader: Reader, what: string): number {
  const { offset } = reader.peek();
  const ms = reader.duration(what);
  if (ms > MAX_DELAY_MS) throw new StepProblem(offset, "no step takes that long: at most 24h was expected");
  return ms;
}

function readUse(reader: Reader): ReadStep {
  reader.word("use");
  const { offset } = reader.peek();
  const slug = reader.plainText("the slug of a scenario");
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug))
    throw new StepProblem(
      offset,
      `"${excerpt(slug)}" is no slug: lower case letters, digits and hyphens, at most 64`,
    );
  reader.end();
  return { use: slug, useOffset: offset, within_ms: null };
}

function readWait(reader: Reader): Action {
  if (!reader.takes("for")) return { verb: "wait", duration_ms: readDelay(reader, '"for" or a duration') };
  if (reader.takes("url")) return { verb: "wait_for_url", url: reader.text("part of the address") };
  if (reader.takes("request"))
    return {
      verb: "wait_for_request",
      method: optionalMethod(reader),
      url: reader.text("part of the address, or a glob,"),
    };
  if (!isTarget(reader))
    reader.fail('a target, such as text "Ready", url or request', ["url", "request", "text"]);
  const target = readTarget(reader);
  const state = reader.takes("hidden") ? "hidden" : "visible";
  return { verb: "wait_for", target, state };
}

function readInjection(reader: Reader): Action {
  const what = reader.oneOf(["error", "latency"] as const, '"error" or "latency"');
  const { offset } = reader.peek();
  const amount =
    what === "error" ? reader.number("a status from 400 to 599") : readDelay(reader, "a duration");
  if (what === "error" && (amount < 400 || amount > 599))
    throw new StepProblem(offset, `${amount} is no error: a status from 400 to 599 was expected`);
  reader.word("on");
  const url = reader.plainText("a glob of addresses");
  let times: number | null = null;
  if (reader.isAt("times")) {
    const place = reader.peek().offset;
    reader.word("times");
    times = reader.number("how many times");
    if (times < 1) throw new StepProblem(place, "at least one time was expected");
  }
  return what === "error"
    ? { verb: "inject_error", status: amount, url, times }
    : { verb: "inject_latency", ms: amount, url, times };
}

function readSet(reader: Reader): Action {
  if (reader.takes("clock")) {
    reader.word("to");
    const { offset } = reader.peek();
    const to = reader.plainText("a time");
    if (
      !/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(to) ||
      Number.isNaN(Date.parse(to))
    )
      throw new StepProblem(offset, `"${to}" is no ISO 8601 time such as 2026-03-29T01:30:00Z`);
    return { verb: "set_clock", to };
  }
  const name = reader.peek();
  if (name.type !== "word" || !/^[a-z][a-z0-9_]{0,63}$/.test(name.source))
    reader.fail('"clock" or the name of a variable (lower case letters, digits, _)', ["clock"]);
  reader.takes(name.source);
  reader.word("to");
  if (reader.peek().type === "text")
    return { verb: "set", name: name.source, from: { type: "text", text: reader.text("a value") } };
  const source = reader.oneOf(
    ["text", "value", "response"] as const,
    'a text, "text of", "value of" or "response"',
  );
  if (source === "response") {
    const { offset } = reader.peek();
    const pointer = reader.plainText("a JSON Pointer");
    if (!/^(\/([^~/]|~[01])*)*$/.test(pointer))
      throw new StepProblem(offset, `"${pointer}" is no JSON Pointer such as /items/0/id`);
    return { verb: "set", name: name.source, from: { type: "response", pointer } };
  }
  reader.word("of");
  const target = readTarget(reader);
  return {
    verb: "set",
    name: name.source,
    from: { type: source === "text" ? "text_of" : "value_of", target },
  };
}

function optionalTarget(reader: Reader, word: string): Target | null {
  return reader.takes(word) ? readTarget(reader) : null;
}
