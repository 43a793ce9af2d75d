import type { CauseKind, Finding } from "../types.ts";
import { WRITE } from "./one-thing.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";

const isStayed = ({ about, is_new }: Finding): boolean =>
  about?.startsWith("stayed open ") === true && is_new === true;

const isHeldUp = ({ kind, is_new, weight }: Finding): boolean =>
  HELD_UP.has(kind) && is_new === true && weight >= 0.7;

const HELD_UP: ReadonlySet<CauseKind> = new Set(["element_covered", "element_hidden"]);

/** Whether it is what is another one of the very answer that should have closed it. */
const isItsAnswer = ({ kind, title, is_new }: Finding, stayed: Finding): boolean =>
  kind === "answer_changed" &&
  is_new === true &&
  WRITE.test(title) &&
  stayed.title.includes(`though ${title.split(" answered ", 1)[0]} was answered`);

/** What should have closed hides or covers what is behind it, and shows other things in its place: told with it, as what came of it. */
export const stayedOpen: Rule = (finding, { news }) => {
  if (isStayed(finding)) {
    const held = news.find(isHeldUp);
    const script = news.find(({ file, is_new }) => file === "script" && is_new === true);
    const answer = news.find((one) => isItsAnswer(one, finding));
    const causes = [held, script, answer].flatMap((one) => (one ? [because(one)] : []));
    return all(...causes, atLeast(held ? 0.98 : script ? 0.92 : 0));
  }
  if (isHeldUp(finding)) return news.some(isStayed) ? explained : null;
  return finding.about?.startsWith("alike ") && news.some(isStayed) ? lessBy(0.7) : null;
};
