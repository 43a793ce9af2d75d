import { ownWrites } from "../alone/answers/there-before.ts";
import { targetOf } from "../page/target.ts";
import { GESTURES_AND_OPENINGS, lastOf } from "../run/select.ts";
import type { Finding } from "../types.ts";
import { bareOf, bodyOf, hasSeveralWords, TROUBLE } from "../words.ts";
import { all, atLeast, lessBy, type Rule, say } from "./rule.ts";
import type { Scene } from "./scene.ts";

const MOST = 60;
const OBJECTS = /\b(?:wrong|incorrect|mistake)\b/i;

/** Whether the test waited for an objection and met another one that no answer has: the page says it in words of its own. */
function isReworded({ evidence: { run, failed }, news }: Scene): boolean {
  if (!news.some(isRefusal) || !OF_TEXT.test(failed.message)) return false;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (want === "" || got === "") return false;
  if (![want!, got!].every((text) => hasSeveralWords(text)) || !(TROUBLE.test(want!) || OBJECTS.test(want!)))
    return false;
  return !lastOf(run.facts.exchanges, MOST, ({ status }) => status !== null).some((one) =>
    bodyOf(one, run.bodies)?.includes(got!),
  );
}

const isRefusal = ({ kind, status }: Finding): boolean =>
  kind === "request_failed" && status !== undefined && status >= 400 && status < 500;

/** Without a pass, a refusal is what the test wants where it waits for an objection and met one, in other words than its own. */
const reworded: Rule = (finding, scene) => {
  const { kind, is_new, title } = finding;
  const isEcho = kind === "redirected" && / answered with 4\d\d/.test(title);
  if (is_new !== null || !(kind === "assertion" || isEcho || isRefusal(finding)) || !isReworded(scene))
    return null;
  return kind === "assertion"
    ? all(say("the page has another message there, in words that no answer brought"), atLeast(0.8))
    : lessBy(0.25);
};

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
export const ALONE_OWN_WORDS: readonly Rule[] = [reworded, untouched];
