import type { Exchange, RunFacts } from "../run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
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
      const read = lastRead(facts, pathOf(url), failed.to);
      const write = read && all.find(({ ts }) => ts > (read.end ?? Number.POSITIVE_INFINITY));
      if (!read || !write) return [];
      const before = all.filter(({ ts }) => ts < read.ts).length;
      if (!passes.every((pass) => writtenBefore(pass.facts, method, pathOf(url)) > before)) return [];
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

const lastRead = ({ exchanges }: RunFacts, path: string, until: number): Exchange | undefined =>
  exchanges.findLast(
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
  const read = lastRead(facts, path, facts.lastTs);
  return read === undefined
    ? 0
    : facts.exchanges.filter(
        (one) => one.method === method && pathOf(one.url) === path && (one.end ?? one.ts) <= read.ts,
      ).length;
}
