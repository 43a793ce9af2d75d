import { toIso } from "../../../../../platform/clock.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, headerOf, quoted, requestOf } from "../../words.ts";

const MOST = 200;

/** Tokens (JSON Web Tokens, RFC 7519) that were over when they came or were sent, and storage that an answer emptied. */
export function detectTokens(evidence: Evidence): Finding[] {
  return answersBefore(evidence, MOST).flatMap((one) => [
    ...overToken(evidence, one),
    ...emptied(evidence, one),
  ]);
}

const baseOf = ({ run, failed }: Evidence, one: Exchange) => ({
  kind: "storage" as const,
  detail: null,
  step_id: one.step_id,
  events: [one.seq],
  // It matters when the page goes by it.
  ts: Math.max(one.end ?? one.ts, failed.from),
  about: aboutUrl(one.url, run.facts),
});

function overToken(evidence: Evidence, one: Exchange): Finding[] {
  const { run, passes } = evidence;
  const over = overIn(one, run);
  if (over === null) return [];
  const others = passes.flatMap((pass) =>
    exchangesOf(pass.facts, exchangeKey(one, run.facts)).map((other) => overIn(other, pass)),
  );
  return [
    {
      ...baseOf(evidence, one),
      title: `${requestOf(one, run.facts)} ${over.isSent ? "was sent with" : "answered"} a token ${over.path === "" ? "" : `(${quoted(over.path, 60)}) `}that had ended at ${toIso(over.end)} already`,
      is_new: passes.length === 0 ? null : !others.some((other) => other !== null),
      // Who gives such a token out comes before who was given it.
      weight: over.isSent ? 0.88 : 0.94,
    },
  ];
}

/** A token of an exchange that had ended by then. */
function overIn(
  one: Exchange,
  { bodies }: RunEvidence,
): { path: string; end: number; isSent: boolean } | null {
  const by = one.end ?? one.ts;
  const sent = endOf(headerOf(one.requestHeaders, "authorization") ?? "");
  if (sent !== null && sent < one.ts) return { path: "", end: sent, isSent: true };
  const text = bodyOf(one, bodies);
  if (text === undefined || !text.includes("eyJ")) return null;
  for (const { path, value } of leavesOf(jsonOf(text))) {
    const end = typeof value === "string" ? endOf(value) : null;
    if (end !== null && end < by) return { path, end, isSent: false };
  }
  return null;
}

const TOKEN = /(?:^|\s)eyJ[\w-]{5,4000}\.(eyJ[\w-]{5,8000})\.[\w-]*$/;
const LAST_MS = 8.64e15;

/** When a token ends (epoch ms); null for what is none, and for one without an end. */
function endOf(value: string): number | null {
  const claims = TOKEN.exec(value)?.[1];
  if (claims === undefined) return null;
  const end = (jsonOf(Buffer.from(claims, "base64url").toString()) as { exp?: unknown } | undefined)?.exp;
  return typeof end === "number" && end > 0 && end * 1_000 < LAST_MS ? Math.round(end * 1_000) : null;
}

/** What a browser throws away as an answer says: https://www.w3.org/TR/clear-site-data/ */
function emptied(evidence: Evidence, one: Exchange): Finding[] {
  const { run, passes } = evidence;
  const what = headerOf(one.headers, "clear-site-data");
  if (what === null || !/storage|cookies|\*/.test(what)) return [];
  const isUsual = passes.some(({ facts }) =>
    facts.exchanges.some(({ headers }) => headerOf(headers, "clear-site-data") !== null),
  );
  const named = /\*/.test(what)
    ? "its storage and cookies"
    : [/storage/.test(what) && "its storage", /cookies/.test(what) && "its cookies"]
        .filter((part) => part !== false)
        .join(" and ");
  return [
    {
      ...baseOf(evidence, one),
      title: `${requestOf(one, run.facts)} told the browser to throw ${named} away (Clear-Site-Data: ${what.slice(0, 80)})`,
      is_new: passes.length === 0 ? null : !isUsual,
      weight: 0.94,
    },
  ];
}
