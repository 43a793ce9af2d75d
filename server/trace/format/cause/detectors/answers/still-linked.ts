import { isWrite, requestBodyOf, STORING } from "../../exchanges/sent.ts";
import { servedElements } from "../../exchanges/served-elements.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
const REMOVING = /\/(?:delete|remove|destroy|archive|trash|discard)$/i;
/** Of `/members/7` and the like: the thing stands at an address of its own. */
const isOfOne = (path: string): boolean => /\d/.test(path.split("/").at(-1)!);

/** A thing that a form removes in every pass, and that a page which was opened afterwards still has a link to. */
export function detectStillLinked(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const write = run.facts.exchanges.findLast((one) => one.ts <= failed.to && thingOf(one, run) !== null);
  if (!write) return [];
  const pages = answersBefore(evidence, MOST, (one) => isPageAfter(one, write));
  for (const page of pages.toReversed()) {
    const name = linkTo(run, page, thingOf(write, run)!);
    if (name === null) continue;
    const isGone = passes.every((pass) => {
      const same = ofSameTurn(write, run.facts, pass.facts);
      const thing = same && thingOf(same, pass);
      const key = exchangeKey(page, run.facts);
      const later = pass.facts.exchanges.filter(
        (one) => same && isPageAfter(one, same) && isAlike(one, page, exchangeKey(one, pass.facts) === key),
      );
      return thing != null && later.length > 0 && later.every((one) => linkTo(pass, one, thing) === null);
    });
    if (isGone) return [findingOf(evidence, write, page, name)];
  }
  return [];
}

const isAlike = (one: Exchange, page: Exchange, isSame: boolean): boolean =>
  isSame || pathOf(one.url) === pathOf(page.url);

function findingOf({ run }: Evidence, write: Exchange, page: Exchange, name: string): Finding {
  return {
    kind: "answer_changed",
    title: `${requestOf(write, run.facts)} was answered with ${write.status}, but ${requestOf(page, run.facts)} still listed ${quoted(name, 80)} afterwards, which it does in no pass: it was not removed, or not from there`,
    detail: null,
    step_id: write.step_id,
    events: [write.seq, page.seq],
    ts: page.end ?? page.ts,
    is_new: true,
    weight: 0.95,
    about: aboutUrl(page.url, run.facts),
  };
}

/** The path of the thing that a form removes; null where it removes none, or was refused. */
function thingOf(one: Exchange, run: RunEvidence): string | null {
  const path = pathOf(one.url);
  if (one.status === null || isFailedExchange(one) || isTracker(one.url)) return null;
  const sent = STORING.has(one.method) && isWrite(one, run) ? requestBodyOf(one, run) : null;
  const isMeant = isRecord(sent) && /^delete$/i.test(String(sent._method));
  const thing =
    one.method === "DELETE" || isMeant
      ? path
      : STORING.has(one.method) && REMOVING.test(path)
        ? path.replace(REMOVING, "")
        : null;
  return thing !== null && isOfOne(thing) ? thing : null;
}

const isPageAfter = (one: Exchange, write: Exchange): boolean =>
  one.method === "GET" &&
  one.status === 200 &&
  /html/.test(one.mediaType) &&
  one.ts > (write.end ?? write.ts);

/** The words of a page's link to a thing; null where it has none. */
function linkTo({ bodies }: RunEvidence, page: Exchange, thing: string): string | null {
  const body = bodyOf(page, bodies) ?? "";
  if (pathOf(page.url) === thing || !body.includes(thing)) return null;
  const link = servedElements(body).find(
    ({ tag, text, attributes }) => tag === "a" && attributes.get("href") === thing && text !== "",
  );
  return link?.text ?? null;
}
