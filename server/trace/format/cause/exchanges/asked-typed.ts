import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { queryOf, requestBodyOf, SECRET } from "./sent.ts";

/** Shorter ones stand in many questions by chance. */
const SHORTEST = 3;
const TYPES = /(?:^|\.|keyboard)(?:fill|type|pressSequentially|insertText)$/i;

/** What a request asks for that the test had typed before it, and by which name. */
export function typedIn(one: Exchange, run: RunEvidence): { name: string; text: string } | null {
  const typed = new Set(
    run.facts.steps.flatMap(({ name, params, ts, isFailed }) => {
      const text = params.text ?? params.value;
      const isBefore = ts <= one.ts && !isFailed && TYPES.test(name);
      return isBefore && typeof text === "string" && text.trim().length >= SHORTEST ? [text.trim()] : [];
    }),
  );
  if (typed.size === 0) return null;
  const sent = leavesOf(requestBodyOf(one, run)).map(({ path, value }) => [path, String(value)] as const);
  const [found] = [...queryOf(one), ...sent].filter(
    ([name, value]) => typed.has(value.trim()) && !SECRET.test(name),
  );
  return found ? { name: found[0], text: found[1].trim() } : null;
}
