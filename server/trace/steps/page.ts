import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents, orDamaged } from "../events/source.ts";
import { readBlob } from "../files/read-body.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { asRecorded, type Clean } from "../fit.ts";
import { pageTree } from "../format/cause/page/page-lines.ts";
import { type SeenElement, viewOfHtml } from "../format/cause/page/page-view.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import { createSnapshots } from "../snapshots/service.ts";
import type { NamedStep } from "./find-step.ts";

const MOST_SNAPSHOTS = 50;
/** Larger markup is not read for the lines that fit. */
const LARGEST_PAGE = 8 * 1024 * 1024;
/** Which of a step's pages says most of how it ended. */
const PHASES = ["after", "action", "input", "before"];
const NOTHING = { clean: asRecorded, from: 0, to: 0 };

/**
 * The page as a step left it, as a tree of roles and names; null where none was recorded.
 * @param clean gets the texts of these lines whole: a page has thousands
 */
export async function pageOf(
  deps: Deps,
  trace: TraceRow,
  step: NamedStep["step"],
  { clean, from, to }: { clean: Clean; from: number; to: number } = NOTHING,
): Promise<{ url: string; tree: string[] } | null> {
  for (const event of await snapshotsOf(deps, trace, step)) {
    const elements = await elementsOf(deps, trace, event);
    if (!elements) continue;
    const tree = pageTree(elements, (one, line) => (line >= from && line < to ? clean(one) : one));
    return { url: clean(String(event.url ?? "")), tree };
  }
  return null;
}

/** The page events of a step, the most telling first; of a step without any the last before it. */
async function snapshotsOf(deps: Deps, trace: TraceRow, step: NamedStep["step"]): Promise<TraceEvent[]> {
  const found = await whereItLies(deps, trace, async (now) => {
    const file = await openEvents(deps, now);
    if (!file) return [];
    const read = async (query: { step?: string; limit: number }) =>
      (await orDamaged(deps, file.query({ kinds: ["dom.snapshot"], offset: 0, ...query }))).lines.map(
        readEvent,
      );
    const own = await read({ step: step.step_id, limit: MOST_SNAPSHOTS });
    if (own.length > 0) return own;
    const all = await read({ limit: 1000 });
    const end = step.ts + step.duration_ms;
    return all.filter(({ ts, is_main_frame: isMain }) => ts <= end && isMain !== false).slice(-1);
  });
  const rank = (event: TraceEvent) =>
    (event.is_main_frame === false ? 10 : 0) +
    PHASES.indexOf(typeof event.phase === "string" ? event.phase : "after");
  return found.sort((a, b) => rank(a) - rank(b) || b.seq - a.seq);
}

async function elementsOf(deps: Deps, trace: TraceRow, event: TraceEvent): Promise<SeenElement[] | null> {
  const { snapshot, html } = event;
  if (typeof snapshot === "string") {
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    return createSnapshots(deps).elements(trace, {
      name: snapshot,
      page: text(event.page),
      frame: text(event.frame),
    });
  }
  if (typeof html !== "string") return null;
  const hash = /^sha256:([0-9a-f]{64})$/.exec(html)?.[1];
  if (hash === undefined) return viewOfHtml(html);
  const bytes = await readBlob(deps, trace.id, hash, LARGEST_PAGE);
  return bytes && viewOfHtml(Buffer.from(bytes).toString("utf8"));
}
