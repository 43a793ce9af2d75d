import { headline, oneLine } from "../../../error-text.ts";
import { isBefore } from "../../compare.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, quotedStep, requestOf } from "../../words.ts";

const IN_THE_PAGE =
  /^(?:page|frame|locator|elementHandle|jsHandle|worker)\.(?:evaluate|evaluateAll|evaluateHandle|\$+eval|waitForFunction): (\w*(?:Error|Exception)\b.*)/;
/** How engines say that a text is a page and no JSON. */
const PAGE_FOR_JSON =
  /Unexpected token '?<'?.*JSON|JSON\.parse: unexpected character|Unexpected token < in JSON/;

/** What a script of the test threw in the page, and a page of HTML that was read as JSON. */
export function detectPageScripts(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const { step, message } = failed;
  const seq = step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const shared = {
    detail: null,
    step_id: step?.step_id ?? null,
    is_new: passes.length === 0 ? null : true,
  };
  const findings: Finding[] = [];
  const thrown = IN_THE_PAGE.exec(oneLine(headline(message)))?.[1];
  if (thrown !== undefined)
    findings.push({
      ...shared,
      kind: "test_code",
      title: `The script that the test ran in the page threw ${thrown}${step === null ? "" : `: ${quotedStep(step)}`}`,
      events: [seq],
      ts: failed.to,
      weight: 0.8,
    });
  const page = PAGE_FOR_JSON.test(message)
    ? run.facts.exchanges.findLast(
        (one) =>
          /html/.test(one.mediaType) &&
          /^(?:api|xhr|fetch)$/.test(one.type ?? "") &&
          isBefore(evidence, one.end ?? one.ts),
      )
    : undefined;
  if (page)
    findings.push({
      ...shared,
      kind: "answer_changed",
      title: `${requestOf(page, run.facts)} answered ${page.status === 200 ? "" : `with ${page.status} and `}a page of HTML where JSON was read`,
      events: [page.seq, seq],
      ts: page.end ?? page.ts,
      weight: 0.95,
      about: aboutUrl(page.url, run.facts),
    });
  return findings;
}
