import { isBefore } from "../../compare.ts";
import { textsOf } from "../../page/page-texts.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, bodyOf, hasSeveralWords, pathOf, quoted, requestOf, TROUBLE } from "../../words.ts";

/** Forms that the server gave back instead of leading on, as it does in passes: it took what was sent for wrong. */
export function detectReturned(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const shown = run.facts.exchanges.filter(
    (one) =>
      one.method !== "GET" &&
      one.type === "document" &&
      isShown(one) &&
      isBefore(evidence, one.end ?? one.ts),
  );
  return shown.slice(-MOST).flatMap((one): Finding[] => {
    // A test may send a wrong form first, which every pass gives back as well.
    const usual = passes.map(({ facts }) => ofSameTurn(one, run.facts, facts, isAnswered)?.status);
    if (!usual.every((status) => status !== undefined && status !== null && status >= 300 && status < 400))
      return [];
    const said = newOn(evidence, one);
    return [
      {
        kind: "page_message",
        title: `${requestOf(one, run.facts)} gave the form back instead of leading on (${one.status}, where the last pass got ${usual[0]})${said === null ? "" : `: the page says ${quoted(said, 120)}`}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: true,
        weight: 0.92,
        about: aboutUrl(one.url, run.facts),
        isReturned: true,
      },
    ];
  });
}

const isAnswered = ({ status }: Exchange) => status !== null;

const isShown = ({ status }: Exchange) => status !== null && status >= 200 && status < 300;

/**
 * What this page says and the form did not say when it came: of several texts one of trouble. Where the form was not recorded, a
 * text that no other page of the run or its passes has; null where pages were not recorded.
 */
function newOn({ run, passes }: Evidence, one: Exchange): string | null {
  const answered = bodyOf(one, run.bodies);
  const words =
    answered !== undefined
      ? textsOf(withoutTitle(answered))
      : (run.page?.elements.flatMap(({ own, isHidden }) => (isHidden || own.length < 2 ? [] : [own])) ?? []);
  const form = run.facts.exchanges.findLast(
    (other) =>
      other.ts < one.ts &&
      other.method === "GET" &&
      other.type === "document" &&
      pathOf(other.url) === pathOf(one.url) &&
      bodyOf(other, run.bodies) !== undefined,
  );
  const others = [run, ...passes].flatMap(({ facts, bodies, page }) => [
    ...lastOf(facts.exchanges, MOST_PAGES, (other) => other !== one && other.type === "document").flatMap(
      (other) => textsOf(bodyOf(other, bodies) ?? ""),
    ),
    ...(page && page !== run.page ? page.elements.map(({ own }) => own) : []),
  ]);
  const known = new Set(form && answered !== undefined ? textsOf(bodyOf(form, run.bodies)!) : others);
  const fresh = words.filter((text) => !known.has(text) && hasSeveralWords(text));
  // A heading says less than the sentence below it.
  const [said] = fresh.filter((text) => TROUBLE.test(text)).toSorted((a, b) => b.length - a.length);
  return said ?? fresh[0] ?? null;
}

const withoutTitle = (html: string): string => html.replace(/<title>[^<]*<\/title>/i, "");

const MOST = 3;
const MOST_PAGES = 10;
