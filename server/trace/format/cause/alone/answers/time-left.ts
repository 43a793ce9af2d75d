import { answerFinding } from "../../exchanges/answer-finding.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { lengthOf } from "../../values/spans.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 40;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Between the answer and what the page makes of it. */
const CLOSE = 2 * MINUTE;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
/** “2h 29m left”, “3 hours 5 min ago”; of a pattern, the first of what it allows. */
const SPAN = /(\d{1,3})\s?h(?:ours?|rs?)?\s{1,2}\(?(\d{1,2})(?:\|\d{1,2})*\)?\s?m/;

/** How long it is to a moment, where the page says another length than the test wants: whether the answer has the one or the other. */
export function detectTimeLeft(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => spanIn(bareOf(text ?? "")));
  if (want == null || got == null || Math.abs(want - got) <= CLOSE) return [];
  const answers = answersBefore(evidence, MOST, (one) => isData(one) && !isBeside(one));
  for (const one of answers.toReversed())
    for (const { path, value } of leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""))) {
      if (typeof value !== "string" || !ISO.test(value)) continue;
      const away = Math.abs(Date.parse(value) - failed.to);
      const said = `${requestOf(one, run.facts)} answered ${quoted(value, 40)} for ${quoted(path, 60)}`;
      const shown = `${targetOf(evidence) || "the page"} has ${quoted(bareOf(failed.received!), 60)}`;
      if (Math.abs(away - got) <= CLOSE)
        return [
          answerFinding(
            evidence,
            one,
            `${said}, which the page shows rightly (${quoted(bareOf(failed.received!), 60)}): that is ${lengthOf(got - want)} ${got > want ? "later" : "earlier"} than the test wants`,
            0.84,
          ),
        ];
      const isZone = Math.abs((got - want) % HOUR) <= CLOSE;
      if (Math.abs(away - want) <= CLOSE && isZone)
        return [
          answerFinding(
            evidence,
            one,
            `${said}, as the test wants, but ${shown}, ${lengthOf(got - want)} ${got > want ? "more" : "less"}: the page takes it for the time of another zone, such as local time for UTC`,
            0.86,
          ),
        ];
    }
  return [];
}

const isData = ({ type }: Exchange): boolean => /^(?:xhr|fetch)$/.test(type ?? "");

function spanIn(text: string): number | null {
  const found = SPAN.exec(text);
  return found ? Number(found[1]) * HOUR + Number(found[2]) * MINUTE : null;
}
