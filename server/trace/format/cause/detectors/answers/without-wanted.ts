import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
const MOST_THINGS = 200;
const FEWEST = 2;
const SHORTEST = 3;

/** A list of which each thing has what the test wants in every pass, and none has it here: the things are those of somebody else, or of another kind. */
export function detectWithoutWanted(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [wanted, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (passes.length === 0 || wanted!.length < SHORTEST || got === "" || got!.includes(wanted!)) return [];
  for (const one of answersBefore(evidence, MOST, (read) => isRead(read, run)).toReversed()) {
    const things = thingsOf(one, run.bodies).slice(0, MOST_THINGS);
    const key = exchangeKey(one, run.facts);
    const theirs = passes.map((pass) =>
      exchangesOf(pass.facts, key)
        .slice(-MOST)
        .map((other) => thingsOf(other, pass.bodies).slice(0, MOST_THINGS)),
    );
    const has = (thing: Record<string, unknown>, name: string) => {
      const value = thing[name];
      return typeof value === "string" && value.includes(wanted!);
    };
    const isUsual = (name: string) =>
      theirs.every((lists) =>
        lists.some((list) => list.length >= FEWEST && list.every((thing) => has(thing, name))),
      );
    const first = things[0] ?? {};
    const name = Object.keys(first).find((name) => {
      const value = first[name];
      const isMet = typeof value === "string" && value.length >= SHORTEST && got!.includes(value);
      return isMet && things.length >= FEWEST && !things.some((thing) => has(thing, name)) && isUsual(name);
    });
    if (name === undefined) continue;
    return [
      answerFinding(
        evidence,
        one,
        `${requestOf(one, run.facts)} answered a list in which nothing has ${quoted(wanted!, 60)} for ${quoted(name, 40)}, as each of its things has in the last pass: it begins with ${quoted(String(first[name]), 60)}`,
        0.93,
      ),
    ];
  }
  return [];
}
