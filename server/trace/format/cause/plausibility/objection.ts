import { oneLine } from "../../error-text.ts";
import { isAlert } from "../detectors/page/page.ts";
import { CHANGING } from "../exchanges/sent.ts";
import { targetOf } from "../page/target.ts";
import { lastPartOf, wantedBy } from "../page/wanted.ts";
import { isMissing } from "../run/missing-element.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bareOf, bodyOf, hasSeveralWords, quoted, requestOf, TROUBLE } from "../words.ts";
import { all, atLeast, explained, type Rule, say } from "./rule.ts";

/** Without a pass, where the test wants the page to object, what was refused as it was to be is told with that the page says nothing of it, or says it in other words. */
const objected: Rule = (finding, { evidence, settled, news }) => {
  const { kind, is_new } = finding;
  const isEcho = kind === "redirected" && / answered with 4\d\d/.test(finding.title);
  if (is_new !== null || !(isEcho || /^(?:request_failed|assertion)$/.test(kind))) return null;
  const refusal = [finding, ...news].find((one) => isRefusal(one, settled));
  const one = refusal && evidence.run.facts.exchanges.find(({ seq }) => seq === refusal.events[0]);
  if (!one || (kind === "request_failed" && finding !== refusal)) return null;
  if (kind === "request_failed" && isOfAlert(evidence) && isUnsaid(evidence))
    return say(unsaidWords(one, evidence));
  if (!isInOtherWords(one, evidence)) return null;
  return kind === "assertion"
    ? all(
        say(
          `those are the page's own words for ${requestOf(one, evidence.run.facts)}, answered with ${one.status}`,
          one.seq,
        ),
        atLeast(0.86),
      )
    : explained;
};

const isOfAlert = (evidence: Evidence): boolean =>
  /^(?:alert|alertdialog)$/.test(wantedBy(lastPartOf(targetOf(evidence))).role ?? "");

/** Whether a write of the last action was refused for what it was sent. */
const isRefusal = ({ kind, status, ts, title, isOwn }: Finding, settled: number | null): boolean =>
  kind === "request_failed" &&
  isOwn !== false &&
  status !== undefined &&
  status >= 400 &&
  status < 500 &&
  status !== 429 &&
  CHANGING.has(title.split(" ", 1)[0]!) &&
  (ts ?? 0) >= (settled ?? 0) - 100;

const isUnsaid = (evidence: Evidence): boolean =>
  isMissing(evidence) && !evidence.run.page?.elements.some((one) => isAlert(one) && !one.isHidden);

/** What the page does not show of a refusal, by where its answer says what the test wants. */
function unsaidWords(one: Exchange, { run, failed }: Evidence): string {
  const want = oneLine(bareOf(failed.expected ?? ""));
  const said = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
    ({ value }) => typeof value === "string" && oneLine(value) === want,
  );
  return said
    ? `the page shows no message of it, though that stands there for ${quoted(said.path, 60)}`
    : "the page shows no message of it";
}

/** Whether the page objects in words that are not the answer's, and the test wants it to object in others. */
function isInOtherWords(one: Exchange, evidence: Evidence): boolean {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => oneLine(bareOf(text ?? "")));
  return (
    want !== "" &&
    got !== "" &&
    OBJECTS.test(want!) &&
    (isOfAlert(evidence) ||
      (OF_TEXT.test(failed.message) && [want!, got!].every((text) => hasSeveralWords(text)))) &&
    !(bodyOf(one, run.bodies) ?? "").includes(got!) &&
    !/^(?:visible|hidden)$/.test(got!)
  );
}

const OF_TEXT = /^(?:Error: )?expect\(locator\)\.to(?:HaveText|ContainText|HaveValue)\(/;
const OBJECTS = new RegExp(`${TROUBLE.source}|\\b(?:wrong|incorrect|not match|unknown|taken)\\b`, "i");

/** What is told of an objection that the test waits for. */
export const OBJECTION: readonly Rule[] = [objected];
