import { answeredWith, givenIn } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, isForeign, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { BACK } from "./return-address.ts";
import { asksToSignIn } from "./sign-in.ts";

/** A sign-in that was sent where it was to lead back to, and whose answer led elsewhere. */
export function detectNotLedBack(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const signIn = facts.exchanges.findLast(
    (one) =>
      asksToSignIn(one, run) &&
      one.type !== "api" &&
      one.ts <= failed.to &&
      one.status !== null &&
      one.status < 400 &&
      !isForeign(one.url, facts),
  );
  const here = page && pathOf(page.shot.url);
  if (!signIn || !page || !here || SIGN_IN.test(here)) return [];
  const words = otherNext(evidence, signIn, here);
  if (words === null) return [];
  return [
    {
      kind: "redirected",
      title: words,
      detail: null,
      step_id: signIn.step_id,
      events: [signIn.seq, page.shot.seq],
      ts: page.shot.ts,
      is_new: null,
      weight: 0.88,
      about: aboutUrl(signIn.url, facts, signIn.operation),
    },
  ];
}

/** What the page sent to be led back to, where the answer names another address. */
function otherNext({ run }: Evidence, signIn: Exchange, here: string): string | null {
  const sent = leavesOf(givenIn(signIn, run)).find(isBack);
  const next = leavesOf(answeredWith(signIn, run)).find(isBack);
  if (!sent || !next || sent.value === next.value || isAt(here, sent.value) || !isAt(here, next.value))
    return null;
  return `${requestOf(signIn, run.facts)} was sent with ${quoted(String(sent.value), 80)} for ${quoted(sent.path, 40)} and answered with ${quoted(String(next.value), 80)} for ${quoted(next.path, 40)}: the page went there`;
}

const isBack = ({ path, value }: Leaf): boolean =>
  typeof value === "string" && /^\/(?!\/)/.test(value) && BACK.test(path.split(".").at(-1)!);

const isAt = (here: string, value: unknown): boolean =>
  here === (URL.parse(String(value), "http://site.invalid")?.pathname ?? null);
