import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { divergenceWords } from "../../server/trace/format/diff/words.ts";
import type { TraceDetail } from "../api/answers.ts";
import { api } from "../api/calls.ts";
import { navigate } from "../router.ts";
import { formatAgo, formatWall } from "../ui/format.ts";
import { Compare } from "../ui/icons.tsx";
import { useKeys } from "../ui/keyboard.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { oneLine } from "../ui/text.ts";
import { useLoad } from "../ui/use-load.ts";
import { isExplained } from "./cause/told-cause.tsx";
import { useModel } from "./model/model.ts";

/** Up to so many events in each trace, comparing them costs less than looking at the failure does. */
const CHEAP_EVENTS = 5000;
/** The first screen comes first. */
const IDLE_MS = 500;

const NAMES = { a: "that run", b: "this one" };

interface Way {
  label: string;
  path: string;
}

/** What a member's trace can be compared with, the likeliest first. */
function waysOf(id: string, detail: TraceDetail | null, isShared: boolean): Way[] {
  if (!detail || isShared) return [];
  const ways: Way[] = [];
  if (detail.parent_trace_id)
    ways.push({ label: "Compare with its source", path: `/compare?a=${detail.parent_trace_id}&b=${id}` });
  const pass = detail.status === "passed" ? "Compare with the pass before it" : "Compare with the last pass";
  ways.push({ label: pass, path: `/compare?b=${id}` });
  return ways;
}

/** The menu's ways to the page that compares; the first has a key. */
export function useCompareItems(): MenuItem[] {
  const model = useModel();
  const ways = waysOf(model.source.id, model.detail.value, model.source.isShared);
  useKeys(
    ways.map(({ label, path }, index) => ({
      keys: index === 0 ? ["c"] : [],
      label,
      group: "Trace",
      run: () => {
        navigate(path);
        return true;
      },
    })),
  );
  return ways.map(({ label, path }) => ({ label, icon: <Compare />, href: path }));
}

/** Under a failure: when the scenario passed last, and where the two runs part unless its cause says that. */
export function LastPass(): JSX.Element | null {
  const model = useModel();
  const { source } = model;
  const detail = model.detail.value;
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(true), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  const isWanted = isIdle && !source.isShared && detail !== null && !model.loader.isLive.value;
  const { data: found } = useLoad(isWanted ? source.id : null, (signal) =>
    api.baseline(source.id, signal).then((baseline) => ({ baseline })),
  );
  const baseline = found?.baseline ?? null;
  const isCheap =
    baseline !== null &&
    baseline.tier !== "cold" &&
    detail?.tier !== "cold" &&
    Math.max(baseline.event_count, detail?.event_count ?? 0) <= CHEAP_EVENTS;
  // A cause has compared the two already, and knows what matters of it.
  const cause = model.cause.value;
  const isTold = cause?.suspects[0]?.is_new != null && isExplained(cause);
  const { data: diff } = useLoad(
    isCheap && baseline && !isTold ? `${baseline.id} ${source.id}` : null,
    (signal) => api.diff({ a: baseline?.id ?? "", b: source.id }, signal),
  );
  if (source.isShared || model.loader.isLive.value) return null;
  if (!baseline) {
    return (
      <p class="last-pass dim">
        {found && "This scenario has not passed before, as far as traces are kept."}
      </p>
    );
  }
  const first = diff?.first_divergence;
  const parting = first ? oneLine(divergenceWords(first.dimension, first, NAMES), 400) : "";
  const sha = oneLine(baseline.code_sha ?? "").slice(0, 8);
  return (
    <p class="last-pass ellipsis">
      <a href={`/compare?a=${baseline.id}&b=${source.id}`} title="Compare with the last pass ( c )">
        Compare with the last pass
      </a>{" "}
      <span class="dim captured">
        <span title={formatWall(baseline.created_at)}>{formatAgo(baseline.created_at, Date.now())}</span>
        {sha && <span class="mono"> {sha}</span>}
        {parting && <span title={parting}>. First divergence: {parting}</span>}
      </span>
    </p>
  );
}
