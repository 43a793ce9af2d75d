import { queryOf } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Finding } from "../types.ts";
import { quoted } from "../words.ts";
import { isRefusedBefore } from "./deeds.ts";
import { isBehind, isOfRead, WRITE } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** An answer that has a value otherwise, and a later one that has nothing of what was still asked for by the usual value. */
interface AskedOld {
  named: Finding;
  empty: Finding;
  name: string;
  value: string;
}

/** Shorter values are the same by chance. */
const SHORTEST = 3;
const MOST_EMPTY = 10;

const askedOldIn = oncePer((scene: Scene, _: "asked"): AskedOld | null => {
  const answers = scene.news.filter(
    (one) => isOfRead(one) && one.kind === "answer_changed" && one.is_new === true,
  );
  for (const empty of answers.filter(isEmptied).slice(0, MOST_EMPTY))
    for (const [name, value] of askedFor(empty, scene)) {
      const named = answers.findLast(
        (one) =>
          one !== empty &&
          nameOf(one) === name &&
          one.title.includes(`where the last pass had ${quoted(value, 60)}`) &&
          isBehind(one, empty) &&
          isFirst(one, scene),
      );
      if (named) return { named, empty, name, value };
    }
  return null;
});

/** Whether an answer has nothing in a list, or nothing any more. */
export const isEmptied = ({ isEmptyList, said, detail }: Finding): boolean =>
  isEmptyList === true || said === "no items" || detail?.includes("→ “no items”") === true;

/** What an answer was asked for by, where every pass asks for the same. */
function askedFor({ events }: Finding, { evidence: { run, passes } }: Scene): [string, string][] {
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  if (!one || passes.length === 0) return [];
  const key = exchangeKey(one, run.facts);
  const usual = passes.map(({ facts }) => new Set(exchangesOf(facts, key).flatMap(queryOf).map(String)));
  return queryOf(one).filter(
    ([name, value]) => value.length >= SHORTEST && usual.every((asked) => asked.has(String([name, value]))),
  );
}

const nameOf = ({ place = "" }: Finding): string => place.slice(place.lastIndexOf("/") + 1);

/** Whether nothing is known that made it so: nothing was refused before, and nothing written otherwise. */
const isFirst = (one: Finding, scene: Scene): boolean =>
  !isRefusedBefore(one, scene) &&
  !scene.news.some(
    (other) =>
      other.is_new === true &&
      isBehind(other, one) &&
      (other.about?.startsWith("body ") || (other.kind !== "request_pending" && WRITE.test(other.title))),
  );

/** What has another value now is not found by the usual one: the answer that says so comes before the one that has nothing. */
export const askedByOldValue: Rule = (finding, scene) => {
  const found = askedOldIn(scene, "asked");
  if (!found) return null;
  const { named, empty, name, value } = found;
  if (finding === named) {
    const asked = `${quoted(value, 60)} was still asked for as ${quoted(name, 60)}, and`;
    return all(because({ ...empty, title: `${asked} ${empty.title}` }), atLeast(0.97));
  }
  return finding.kind === "answer_changed" && finding.events[0] === empty.events[0] ? explained : null;
};
