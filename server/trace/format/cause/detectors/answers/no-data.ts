import { isBefore } from "../../compare.ts";
import { fetchesPages } from "../../exchanges/fetched-pages.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";
import { bringsNothing } from "../requests/brings-nothing.ts";

const MOST = 60;
/** What a script says that got something else than the JSON it asked for. */
export const UNREADABLE =
  /Unexpected (?:end of JSON|token|end of input)|JSON\.parse|is not valid JSON|Unterminated string in JSON/i;

/** Answers of success without the data that a script asked for: a page in its place, nothing, or half of it. */
export function detectNoData(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const isComplained = run.facts.lines.some(
    ({ text, ts }) => UNREADABLE.test(text) && isBefore(evidence, ts),
  );
  return answersBefore(
    evidence,
    MOST,
    (one) =>
      /^(?:xhr|fetch|api)$/.test(one.type ?? "") &&
      one.status! < 300 &&
      one.method !== "HEAD" &&
      one.ts <= failed.to,
  ).flatMap((one) => {
    const told = tell(one, bodyOf(one, run.bodies));
    if (told === null || bringsNothing(evidence, one) || (told.isPage && fetchesPages(evidence))) return [];
    const key = exchangeKey(one, run.facts);
    const others = passes.flatMap((pass) =>
      exchangesOf(pass.facts, key)
        // What failed there had no data either.
        .filter((other) => !isFailedExchange(other))
        .map((other) => tell(other, bodyOf(other, pass.bodies))),
    );
    // Without a pass only what a script complained of is known to be wrong, and a whole page for what was sent.
    const isPageForData = told.isPage && one.method !== "GET" && passes.length === 0;
    // Nothing that came of the last action leaves the page without what should be there.
    const isEmptyNow =
      told.isEmpty &&
      passes.length === 0 &&
      isMissing(evidence) &&
      isOfLastAction(evidence, one) &&
      !mayBePart(evidence, one);
    // What the test itself asks for no script of the page complains of.
    const isMissed = isComplained && one.type !== "api";
    if (others.length === 0 && !isMissed && !told.isBroken && !isPageForData && !isEmptyNow) return [];
    return [
      {
        kind: "answer_changed" as const,
        title: `${requestOf(one, run.facts)} was answered with ${one.status} and ${told.words}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new:
          others.length === 0 ? (passes.length === 0 ? null : true) : !others.some((other) => other !== null),
        weight: isMissed ? 0.93 : isPageForData ? 0.84 : isEmptyNow ? 0.7 : 0.93,
        about: aboutUrl(one.url, run.facts, one.operation),
        isWithoutData: told.isWithoutData === true,
        isUnreadable: told.isPage === true || told.isBroken,
      },
    ];
  });
}

function tell(
  { mediaType, body, status, headers }: Exchange,
  text: string | undefined,
): { words: string; isBroken: boolean; isPage?: true; isEmpty?: true; isWithoutData?: true } | null {
  if (status === 204 || text === "" || (text === undefined && body === null && isWithout(headers)))
    return { words: "an empty body, without any data", isBroken: false, isEmpty: true, isWithoutData: true };
  if (text === undefined) return null;
  if (text.trim() === "")
    return { words: "an empty body, without any data", isBroken: false, isWithoutData: true };
  if (/^\s*<(?:!doctype|html)/i.test(text)) {
    const said = saidIn(text);
    return {
      words: `a page of HTML instead of data${said ? `: ${quoted(said, 100)}` : ""}`,
      isBroken: false,
      isPage: true,
    };
  }
  if (/json/.test(mediaType) && /^\s*[[{]/.test(text) && jsonOf(text) === undefined && isCut(text))
    return {
      words: `JSON that is cut off after ${text.length} characters: it does not parse`,
      isBroken: true,
    };
  return null;
}

/** Whether the last action before the failure made the page ask for it, and the server had something to say. */
function isOfLastAction({ run, failed }: Evidence, { method, status, ts }: Exchange): boolean {
  const action = actionBefore(run.facts, failed);
  return action !== null && method === "GET" && status === 200 && ts >= action.ts;
}

/** Whether it is a part of a page that there may be nothing to say in: no answer to the same had anything in it. */
const mayBePart = ({ run }: Evidence, one: Exchange): boolean =>
  /html/.test(one.mediaType) &&
  exchangesOf(run.facts, exchangeKey(one, run.facts)).every(
    (other) => tell(other, bodyOf(other, run.bodies))?.isEmpty,
  );

const isWithout = (headers: Exchange["headers"]) =>
  headers.some(({ name, value }) => name === "content-length" && value === "0");

/** `jsonOf` gives nothing for what is nested too deep either. */
function isCut(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
