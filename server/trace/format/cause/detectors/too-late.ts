import type { Exchange, RunFacts } from "../run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, isForeign, isTracker, lapse, pathOf, requestOf } from "../words.ts";

const MOST = 5;
const CHANGES = /^(?:PUT|PATCH|POST|DELETE)$/;

/** What was written after it had been read again, where every pass wrote it before: what was read lacks it. */
export function detectTooLate({ run, passes, failed }: Evidence): Finding[] {
  const { facts } = run;
  if (passes.length === 0) return [];
  const writes = facts.exchanges.filter(
    (one) =>
      CHANGES.test(one.method) &&
      one.type !== "api" &&
      one.operation === null &&
      one.ts <= failed.to &&
      !isTracker(one.url) &&
      !isForeign(one.url, facts),
  );
  const late = [...Map.groupBy(writes, ({ method, url }) => `${method} ${pathOf(url)}`).values()].flatMap(
    (all): Finding[] => {
      const [{ method, url }] = all as [Exchange];
      const reads = readsOf(facts, pathOf(url), failed.to);
      const read = reads.at(-1);
      const write = read && all.find(({ ts }) => ts > (read.end ?? Number.POSITIVE_INFINITY));
      if (!read || !write) return [];
      const before = all.filter(({ ts }) => ts < read.ts).length;
      // Where a read is missing, that is it.
      const isInTime = ({ facts: theirs }: RunEvidence) =>
        writtenBefore(theirs, method, pathOf(url)) > before &&
        readsOf(theirs, pathOf(url), theirs.lastTs).length <= reads.length;
      if (!passes.every(isInTime)) return [];
      return [
        {
          kind: "out_of_order",
          title: `${requestOf(write, facts)} was sent ${lapse(write.ts - read.end!)} after ${requestOf(read, facts)} had been answered, which should have had it; in the last pass it was sent before`,
          detail: null,
          step_id: write.step_id,
          events: [write.requestSeq ?? write.seq, read.seq],
          ts: read.ts,
          is_new: true,
          weight: 0.95,
          about: `late ${aboutUrl(url, facts)}`,
        },
      ];
    },
  );
  return late.slice(-MOST);
}

const readsOf = ({ exchanges }: RunFacts, path: string, until: number): Exchange[] =>
  exchanges.filter(
    ({ method, url, ts, end, status, type }) =>
      method === "GET" &&
      // A page with a form is read before it is sent.
      type !== "document" &&
      ts <= until &&
      end !== null &&
      status !== null &&
      status < 400 &&
      pathOf(url) === path,
  );

/** How often a pass wrote to an address before it read it for the last time. */
function writtenBefore(facts: RunFacts, method: string, path: string): number {
  const read = readsOf(facts, path, facts.lastTs).at(-1);
  return read === undefined
    ? 0
    : facts.exchanges.filter(
        (one) => one.method === method && pathOf(one.url) === path && (one.end ?? one.ts) <= read.ts,
      ).length;
}
