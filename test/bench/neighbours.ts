import type { BenchResult } from "./bench.ts";
import { ingest, median, openEmpty, openTrace, type Server, untilIdle } from "./served.ts";

interface Case {
  server: Server;
  /** The stored trace that is opened. */
  id: string;
  /** The archive that is taken in, processed and stored smaller, again and again for as long as it takes. */
  neighbour: string;
  runs: number;
}

/**
 * The first screen of a stored trace while the server takes in others and stores them smaller, against the same alone. An
 * empty page is timed beside each: what it loses is the machine's share, not the page's.
 */
export async function besideNeighbours({ server, id, neighbour, runs }: Case): Promise<BenchResult> {
  const alone = await openings(server, id, runs);
  let isOver = false;
  const working = (async () => {
    // The second begins while the first is being stored smaller.
    for (let at = 0; !isOver; at++) await ingest(server, neighbour, { slug: `neighbour-${at % 2}` });
  })();
  const beside = await openings(server, id, runs).finally(() => {
    isOver = true;
  });
  await working;
  await untilIdle(server);
  const ratio = beside.shown / alone.shown;
  return {
    name: "first screen beside an ingest and a recompression, stored: against the same alone",
    ratio,
    target: "≤ 2",
    ok: ratio <= 2,
    detail: `${beside.shown.toFixed(0)} ms against ${alone.shown.toFixed(0)} ms, medians of ${runs}; an empty page ${beside.empty.toFixed(0)} against ${alone.empty.toFixed(0)} ms`,
  };
}

async function openings(server: Server, id: string, runs: number) {
  const shown: number[] = [];
  const empty: number[] = [];
  for (let run = 0; run < runs; run++) {
    shown.push((await openTrace(server, id, { isFailed: true })).shown);
    empty.push(await openEmpty(server));
  }
  return { shown: median(shown), empty: median(empty) };
}
