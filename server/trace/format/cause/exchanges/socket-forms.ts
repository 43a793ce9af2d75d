import type { SocketFrame } from "../run/run-facts.ts";
import type { Evidence } from "../types.ts";
import { isRecord, jsonOf, leavesOf } from "../values/json-leaves.ts";
import { quoted } from "../words.ts";
import { rankOf } from "./difference-rank.ts";
import { tell } from "./difference-words.ts";
import { type Difference, differencesOf, varyingIn } from "./differences.ts";

/** How products say that a message is one of an error. */
export const REFUSAL =
  /^(?:error|err|exception|refused|denied|forbidden|unauthori[sz]ed|nack|reject(?:ed)?|failed|failure)$/i;

/** A message by what it is, and by what it holds. */
export interface Form {
  /** `type “comment.created”`; empty where it names none. */
  name: string;
  fields: string[];
  /** What it brought; of `["name", value]` the value. */
  value: unknown;
  frame: SocketFrame;
}

/** Fields by which products tell their messages apart. */
const NAMES = ["type", "event", "kind", "action", "op", "channel", "topic", "method", "name", "cmd", "t"];

/** Messages of one frame that are looked at. */
const MOST_TOGETHER = 50;

/** What a frame brought: products that save frames send a list of messages in one. */
export function formOf(frame: SocketFrame): Form[] {
  // What frameworks put before their messages.
  const value = jsonOf(frame.text.replace(/^\d+(?=[[{])/, ""));
  if (value === undefined) return [];
  const isList = Array.isArray(value) && value.length > 0 && value.every(isRecord);
  return (isList ? value.slice(0, MOST_TOGETHER) : [value]).map((message) => ({
    ...formOfMessage(message),
    frame,
  }));
}

function formOfMessage(value: unknown): Omit<Form, "frame"> {
  const leaves = leavesOf(value);
  const named = NAMES.flatMap((name) =>
    leaves.filter(({ path, value: said }) => path === name && typeof said === "string").slice(0, 1),
  )[0];
  const first = Array.isArray(value) && typeof value[0] === "string" ? value[0] : undefined;
  const name = named ? `${named.path} ${quoted(String(named.value), 60)}` : first ? quoted(first, 60) : "";
  const fields = [...new Set(leaves.map(({ path }) => path.replace(/(^|\.)\d+(?=\.|$)/g, "$1*")))];
  return {
    name,
    fields,
    value: first !== undefined && (value as unknown[]).length === 2 ? (value as unknown[])[1] : value,
  };
}

/** What a message says went wrong, where it is one of an error by its own words; null where it is not. */
export function refusalIn({ value }: Form): string | null {
  const leaves = leavesOf(value);
  const named = leaves.find(
    ({ path, value: said }) =>
      /(?:^|\.)(?:type|event|kind|status|level)$/.test(path) &&
      typeof said === "string" &&
      REFUSAL.test(said),
  );
  if (!named) return null;
  const within = named.path.slice(0, named.path.lastIndexOf(".") + 1);
  const words = leaves.find(
    ({ path, value: said }) =>
      path.startsWith(within) &&
      /^(?:text|message|msg|reason|detail|error)$/.test(path.slice(within.length)) &&
      typeof said === "string" &&
      said !== "",
  );
  return words === undefined ? null : String(words.value);
}

/** Numbers and switches that every pass has alike are no matter of taste, as texts are. */
export const isSteady = ({ before, now }: Difference): boolean =>
  [before, now].every((value) => typeof value === "number" || typeof value === "boolean");

interface Changed {
  form: Form;
  difference: Difference;
  words: string;
  rank: number;
}

/** The message whose value tells most of what the test looks for, in the place of another one that every pass brought. */
export function changedIn(evidence: Evidence, said: Form[], usual: Form[][]): Changed | null {
  const { normaliser } = evidence.run.facts;
  const nths = new Map<string, number>();
  let best: Changed | null = null;
  for (const form of said) {
    const nth = nths.get(form.name) ?? 0;
    nths.set(form.name, nth + 1);
    if (form.name === "") continue;
    const same = usual.map((list) => list.filter(({ name }) => name === form.name));
    if (same.some((list) => list.length <= nth)) continue;
    const mine = normaliser.json(form.value);
    const plain = same.map((list) => list.map(({ value }) => normaliser.json(value)));
    if (plain.flat().some((value) => differencesOf(value, mine).length === 0)) continue;
    const varying = varyingIn(plain.map((list) => [list[nth]]));
    const ranked = differencesOf(plain[0]![nth], mine, varying)
      .map((difference) => ({ difference, rank: rankOf(evidence, difference) }))
      .toSorted((a, b) => b.rank - a.rank);
    const [top] = ranked;
    if (!top || (best !== null && top.rank < best.rank)) continue;
    const words = tell(top.difference, evidence);
    best = {
      form,
      difference: top.difference,
      words: `brought ${form.name} ${/^(?:with|in) /.test(words) ? "" : "with "}${words}`,
      rank: top.rank,
    };
  }
  return best;
}
