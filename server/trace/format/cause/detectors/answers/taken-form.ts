import { isBefore } from "../../compare.ts";
import { requestBodyOf, SECRET, STORING } from "../../exchanges/sent.ts";
import { textsOf } from "../../page/page-texts.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import {
  aboutUrl,
  bodyOf,
  hasSeveralWords,
  headerOf,
  pathOf,
  quoted,
  requestOf,
  TROUBLE,
} from "../../words.ts";

const MOST = 10;
const LED_WITHIN_MS = 5_000;

/** Forms that the server took, where it objected to the very same ones in every pass: on the page that it led to. */
export function detectTakenForm(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return lastOf(
    run.facts.exchanges,
    MOST,
    (one) => isForm(one) && isBefore(evidence, one.end ?? one.ts),
  ).flatMap((one) => findingOf(evidence, one) ?? []);
}

const isForm = ({ method, type, status }: Exchange): boolean =>
  STORING.has(method) && type === "document" && status !== null && status >= 200 && status < 400;

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const shown = pageAfter(one, run);
  const usual = passes.map((pass) => {
    const other = ofSameTurn(one, facts, pass.facts, isForm);
    return other && sentWith(other, pass) === sentWith(one, run) ? pageAfter(other, pass) : null;
  });
  if (shown === null || !usual.every((page) => page !== null)) return null;
  const [now, ...before] = [shown, ...usual].map(
    (page) => new Map(page.texts.map((text) => [facts.normaliser.text(text), text])),
  );
  const objections = [...before[0]!].filter(
    ([name, text]) => isObjection(text) && !now!.has(name) && before.every((page) => page.has(name)),
  );
  const fresh = [...now!].filter(
    ([name, text]) => hasSeveralWords(text) && before.every((page) => !page.has(name)),
  );
  const [, objection] = objections[0] ?? [];
  const [, said] = fresh[0] ?? [];
  // A page that says nothing new may have been refused without a word.
  if (objection === undefined || said === undefined || fresh.some(([, text]) => isObjection(text)))
    return null;
  const words = `${failed.expected ?? ""} ${failed.title}`;
  return {
    kind: "answer_changed",
    title: `${requestOf(one, facts)}${namedIn(objection, one, run)} was taken: the page says ${quoted(said, 80)}, where it objected ${quoted(objection, 100)} in the last pass`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq, shown.seq],
    ts: one.end ?? one.ts,
    is_new: true,
    weight: objections.some(([, text]) => words.includes(text)) ? 0.95 : 0.8,
    about: aboutUrl(one.url, facts),
  };
}

const isObjection = (text: string): boolean => hasSeveralWords(text) && TROUBLE.test(text);

const sentWith = (one: Exchange, run: RunEvidence): string =>
  JSON.stringify(run.facts.normaliser.json(requestBodyOf(one, run) ?? null));

/** The texts of the page that a form was answered with, or led to; null where there is none. */
function pageAfter(one: Exchange, { facts, bodies }: RunEvidence): { texts: string[]; seq: number } | null {
  const to = URL.parse(headerOf(one.headers, "location") ?? "", one.url)?.href;
  const page =
    one.status! < 300
      ? one
      : facts.exchanges.find(
          (other) =>
            other.type === "document" &&
            other.method === "GET" &&
            other.ts >= one.ts &&
            other.ts <= one.ts + LED_WITHIN_MS &&
            to !== undefined &&
            pathOf(other.url) === pathOf(to),
        );
  const body = page && bodyOf(page, bodies);
  return body === undefined ? null : { texts: textsOf(body), seq: page!.seq };
}

/** The field that an objection names, with what it was sent with, as a clause. */
function namedIn(objection: string, one: Exchange, run: RunEvidence): string {
  const words = new Set(objection.toLowerCase().match(/\p{L}{3,}/gu));
  const field = leavesOf(requestBodyOf(one, run)).find(
    ({ path, value }) =>
      !SECRET.test(path) && value !== "" && words.has(path.slice(path.lastIndexOf(".") + 1).toLowerCase()),
  );
  return field ? `, sent with ${quoted(String(field.value), 40)} for ${quoted(field.path, 40)},` : "";
}
