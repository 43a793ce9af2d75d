import { dataIn } from "../../exchanges/asked-again.ts";
import { requestText } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** The last part of addresses that answer who is signed in. */
const OF_SELF = /\/(?:me|self|who-?am-?i|session|viewer|current[-_]?user|user|account|profile)\/?$/i;
/** What an account is known by. */
const KNOWN_BY = /(?:^|\.)(?:e_?mail|user_?name|login|handle)$/i;

/** Who is signed in is another one than in every pass, and the test did not sign in as that one: it began with the session of another account. */
export function detectOtherAccount(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const answers = answersBefore(
    evidence,
    MOST,
    (one) => one.method === "GET" && OF_SELF.test(pathOf(one.url)) && !isForeign(one.url, run.facts),
  );
  for (const one of answers) {
    const mine = namesIn(one, run);
    const key = exchangeKey(one, run.facts);
    const theirs = passes.map((pass) => exchangesOf(pass.facts, key).map((other) => namesIn(other, pass)));
    for (const { path, value } of mine) {
      const known = theirs.map((all) => all.flatMap((names) => valueAt(names, path)));
      const [before] = known[0]!;
      // A test that makes an account for itself has another one each time.
      const isSteady = known.every((values) => values.length > 0 && values.every((name) => name === before));
      if (!isSteady || before === value || isGiven(value, one, run)) continue;
      return [
        {
          kind: "storage",
          title: `${requestOf(one, run.facts)} answered ${quoted(value, 60)} for ${quoted(path, 60)}, where the last pass had ${quoted(before!, 60)}: another account is signed in, and the test did not sign in as that one here, so its session is that of another user`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: one.end ?? one.ts,
          is_new: true,
          weight: 0.96,
          about: aboutUrl(one.url, run.facts, one.operation),
        },
      ];
    }
  }
  return [];
}

/** What an answer calls the one who is signed in by; of lists it tells of others. */
const namesIn = (one: Exchange, { bodies }: RunEvidence): { path: string; value: string }[] =>
  leavesOf(dataIn(bodyOf(one, bodies) ?? "")).flatMap(({ path, value }: Leaf) =>
    KNOWN_BY.test(path) && !/(?:^|\.)\d+\./.test(path) && typeof value === "string" && value !== ""
      ? [{ path, value }]
      : [],
  );

const valueAt = (names: readonly { path: string; value: string }[], path: string): string[] =>
  names.flatMap((one) => (one.path === path ? [one.value] : []));

/** Whether the run itself gave that name before: then it is signed in as who it said. */
const isGiven = (name: string, { ts }: Exchange, { facts, bodies }: RunEvidence): boolean =>
  facts.steps.some((step) => step.ts <= ts && JSON.stringify(step.params).includes(name)) ||
  facts.exchanges.some(
    (one) =>
      one.ts <= ts &&
      one.method !== "GET" &&
      [requestText(one, bodies), decoded(requestText(one, bodies))].some((text) => text.includes(name)),
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
