import { ownWrites } from "../alone/answers/there-before.ts";
import { targetOf } from "../page/target.ts";
import { GESTURES_AND_OPENINGS } from "../run/select.ts";
import { bareOf } from "../words.ts";
import { type Rule, say } from "./rule.ts";

/** Without a pass, what stood so when the page was opened is no effect of anything that this run did. */
const untouched: Rule = ({ kind, is_new }, { evidence }) => {
  const { run, failed } = evidence;
  if (kind !== "assertion" || is_new !== null || !OF_TEXT.test(failed.message) || targetOf(evidence) === "")
    return null;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (![want!, got!].every((text) => WORDS.test(text)) || ownWrites(evidence).length > 0) return null;
  const opened = run.facts.steps.findLast(
    ({ name, ts }) => /(?:^|\.)(?:goto|reload)$/.test(name) && ts <= failed.from,
  );
  const isLed = run.facts.steps
    .filter(
      ({ kind: of, name, ts }) =>
        of === "agent.action" &&
        ts > (opened?.ts ?? 0) &&
        ts <= failed.from &&
        GESTURES_AND_OPENINGS.test(name),
    )
    .every(({ title }) => /^Click getByRole\('link'/.test(title));
  return opened && isLed ? say("it stood so already, before this run had changed anything") : null;
};

const OF_TEXT = /^(?:Error: )?expect\(locator\)\.to(?:HaveText|ContainText|HaveValue)\(/;
/** A state in words: figures are worked out, and an empty text is no state. */
const WORDS = /^(?=.*\p{L}{3})[^\d€$£[\]]+$/u;

/** What the assertion tells of itself where there is no pass to compare with. */
export const ALONE_OWN_WORDS: readonly Rule[] = [untouched];
