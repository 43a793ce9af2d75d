import { batch } from "@preact/signals";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { createClocks } from "./clock.ts";
import { createConsoleRows } from "./console.ts";
import { createExpectRows } from "./expects.ts";
import { createMarkRows } from "./marks.ts";
import { createNetworkRows } from "./network.ts";
import { createPageRows } from "./pages.ts";
import { createShotRows } from "./shots.ts";
import { createStepRows } from "./steps.ts";
import { createThoughtRows } from "./thoughts.ts";
import { createWorldRows } from "./world.ts";

/** What the panels and the timeline list of a trace, each fetched when someone needs it, and how all of them grow. */
export function createLists(source: TraceSource, counts: () => Record<string, number>) {
  const marks = {
    light: createMarkRows(source, "light"),
    world: createMarkRows(source, "world"),
    dom: createMarkRows(source, "dom"),
  };
  const rows = {
    network: createNetworkRows(source, counts),
    console: createConsoleRows(source),
    allShots: createShotRows(source),
    allSteps: createStepRows(source),
    expects: createExpectRows(source),
    thoughts: createThoughtRows(source),
    world: createWorldRows(source),
    pages: createPageRows(source),
  };
  const growing = [...Object.values(rows), ...Object.values(marks)];
  return {
    ...rows,
    marks,
    clocks: createClocks(marks.world.rows),
    /** Takes events that arrive while the trace runs. */
    accept(events: TraceEvent[]): void {
      batch(() => {
        for (const list of growing) list.accept(events);
      });
    },
    dispose(): void {
      for (const list of growing) list.dispose();
    },
  };
}

export type Lists = ReturnType<typeof createLists>;
