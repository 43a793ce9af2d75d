import { isWrite } from "../../exchanges/sent.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, isForeign, isTracker, lapse, pathOf, requestOf } from "../../words.ts";

const MOST = 5;

/** What was written after it had been read again, where every pass wrote it before: what was read lacks it. */
export function detectTooLate({ run, passes, failed }: Evidence): Finding[] {
  const { facts } = run;
  if (passes.length === 0) return [];
  const writes = writesBy(facts, (one) => isWritten(one, run) && one.ts <= failed.to);
  if (writes.size === 0) return [];
  const reads = readsBy(facts, failed.to);
  const theirs = passes.map((pass) => ({
    reads: readsBy(pass.facts, pass.facts.lastTs),
    writes: writesBy(pass.facts, () => true),
  }));
  const late = [...writes].flatMap(([key, all]): Finding[] => {
    const url = all[0]!.url;
    const path = pathOf(url);
    const mine = reads.get(path) ?? [];
    const read = mine.at(-1);
    const write = read && all.find(({ ts }) => ts > read.end!);
    if (!read || !write) return [];
    const before = all.filter(({ ts }) => ts < read.ts).length;
    const isInTime = theirs.every((pass) => {
      const others = pass.reads.get(path) ?? [];
      const last = others.at(-1);
      const written = (pass.writes.get(key) ?? []).filter(
        (one) => last !== undefined && (one.end ?? one.ts) <= last.ts,
      );
      // Where a read is missing, that is it.
      return written.length > before && others.length <= mine.length;
    });
    if (!isInTime) return [];
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
  });
  return late.slice(-MOST);
}

const isWritten = (one: Exchange, run: RunEvidence): boolean =>
  isWrite(one, run) &&
  one.type !== "api" &&
  one.operation === null &&
  !isTracker(one.url) &&
  !isForeign(one.url, run.facts);

/** Requests by method and path, in their order. */
const writesBy = ({ exchanges }: RunFacts, isWanted: (one: Exchange) => boolean): Map<string, Exchange[]> =>
  Map.groupBy(exchanges.filter(isWanted), ({ method, url }) => `${method} ${pathOf(url)}`);

/** What was read with success up to a moment, by path. */
const readsBy = ({ exchanges }: RunFacts, until: number): Map<string, Exchange[]> =>
  Map.groupBy(
    exchanges.filter(
      ({ method, ts, end, status, type }) =>
        method === "GET" &&
        // A page with a form is read before it is sent.
        type !== "document" &&
        ts <= until &&
        end !== null &&
        status !== null &&
        status < 400,
    ),
    ({ url }) => pathOf(url),
  );
