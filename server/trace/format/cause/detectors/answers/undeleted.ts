import { staleness } from "../../exchanges/staleness.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
/** A shorter name stands in an answer for other reasons. */
const SHORTEST = 2;

/** What the server said that it removed, and what a later answer has all the same. */
export function detectUndeleted(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const isUsual = passes.some((pass) =>
    removalsOf(pass).some((one) => keptBy(pass, one, pass.facts.exchanges)),
  );
  if (isUsual) return [];
  const answers = answersBefore(evidence, MOST, ({ method }) => method === "GET");
  return removalsOf(run)
    .filter(({ ts }) => ts <= failed.to)
    .slice(-MOST)
    .flatMap((one): Finding[] => {
      const kept = keptBy(run, one, answers);
      // Beside passes, a list that was asked for before as well is told by what it had then.
      const isAskedBefore = answers.some((other) => other.ts < one.ts && other.url === kept?.url);
      if (!kept || (isAskedBefore && (passes.length > 0 || !isListedById(run, kept, one)))) return [];
      return [
        {
          kind: "answer_changed",
          title: `${requestOf(one, run.facts)} was answered with ${one.status}, but ${requestOf(kept, run.facts)} still had ${quoted(nameOf(one)!, 80)} afterwards${staleness(kept) === null ? ": it was not removed, or the answer is an older one" : `, ${staleness(kept)}`}`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq, kept.seq],
          ts: kept.end ?? kept.ts,
          is_new: passes.length === 0 ? null : true,
          weight: 0.9,
          about: aboutUrl(one.url, run.facts),
        },
      ];
    });
}

const removalsOf = ({ facts }: RunEvidence): Exchange[] =>
  facts.exchanges.filter(
    (one) =>
      one.method === "DELETE" &&
      one.status !== null &&
      !isFailedExchange(one) &&
      !isTracker(one.url) &&
      nameOf(one) !== null,
  );

/** What a request is to remove: the last part of its path. */
export function nameOf({ url }: Exchange): string | null {
  const part = placeOf(url)
    .split("/")
    .findLast((one) => one !== "");
  return part === undefined || part.length < SHORTEST ? null : decoded(part);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The last answer that was asked for afterwards and lists what was to be removed; of another thing it says nothing. */
export function keptBy(
  { bodies }: RunEvidence,
  removal: Exchange,
  answers: readonly Exchange[],
): Exchange | null {
  const name = nameOf(removal);
  const last = listAfter(removal, answers);
  const value = last && jsonOf(bodyOf(last, bodies) ?? "");
  return value !== undefined && leavesOf(value).some((leaf) => String(leaf.value) === name) ? last! : null;
}

/** The last answer that was asked for after a thing was written, of the list that it is of. */
export function listAfter(write: Exchange, answers: readonly Exchange[]): Exchange | undefined {
  const end = write.end ?? write.ts;
  return answers.findLast((one) => one.ts >= end && isListOf(one.url, placeOf(write.url)));
}

/** The path of an address without the form in which its data is asked for. */
const placeOf = (url: string): string =>
  pathOf(url)
    .replace(/\/$/, "")
    .replace(/\.(?:data|json)$/, "");

/** Whether it is an item of the answer by its very id: a short number stands in an answer for other reasons. */
const isListedById = ({ bodies }: RunEvidence, kept: Exchange, removal: Exchange): boolean =>
  leavesOf(jsonOf(bodyOf(kept, bodies) ?? "")).some(
    ({ path, value }) => ID_OF_ITEM.test(path) && String(value) === nameOf(removal),
  );

const ID_OF_ITEM = /(?:^|\.)\d{1,6}\.(?:_?id|uuid|slug|key|code)$/i;

/** Whether an address is of the list that holds the thing at a path: `/items` of `/items/7`. */
function isListOf(url: string, path: string): boolean {
  const list = placeOf(url);
  return path.slice(0, path.lastIndexOf("/")) === list && list !== "";
}
