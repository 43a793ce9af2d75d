import { useEffect, useState } from "preact/hooks";
import type {
  ComparedDimension,
  DiffItem,
  DiffResult,
  DiffSummary,
} from "../../../server/trace/format/diff/types.ts";
import { hasEnded, type TraceDetail, type TraceListItem } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { isDealtWith } from "../../ui/failing.ts";
import { listen } from "../../ui/stream.ts";

export type Trace = TraceDetail & TraceListItem;
export type First = NonNullable<DiffResult["first_divergence"]>;

export interface Overview {
  first: First | null;
  counts: Record<ComparedDimension, DiffSummary>;
  /** Of all dimensions together. */
  total: DiffSummary;
}

export interface Loaded<Value> {
  value: Value | null;
  error: unknown;
  isLoading: boolean;
}

const FIRST: Loaded<never> = { value: null, error: null, isLoading: true };

/** Loads whenever `key` changes; the last value of the same subject stays until the next one is here. */
function useLoaded<Value>(
  key: string | null,
  subject: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value> & { subject: string }>({ ...FIRST, subject });
  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    setState((before) =>
      before.subject === subject ? { ...before, isLoading: true } : { ...FIRST, subject },
    );
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, error: null, isLoading: false, subject });
      },
      (error: unknown) => {
        if (controller.signal.aborted || isDealtWith(error)) return;
        setState({ value: null, error, isLoading: false, subject });
      },
    );
    return () => controller.abort();
  }, [key]);
  return state.subject === subject ? state : FIRST;
}

export function useTrace(id: string | null, revision: number): Loaded<Trace> {
  return useLoaded(id && `${id} ${revision}`, id ?? "", (signal) => api.detail(id ?? "", signal));
}

const isUnsettled = (trace: Trace | null) => trace !== null && !hasEnded(trace);

/** Both traces, and what differs. `again` asks for everything anew. */
export function useComparison(a: string, b: string, dimension: ComparedDimension, isRaw: boolean) {
  const [revision, setRevision] = useState(0);
  const again = () => setRevision((before) => before + 1);
  const [left, right] = [useTrace(a, revision), useTrace(b, revision)];
  const both = left.value && right.value ? ([left.value, right.value] as const) : null;
  const isCold = both?.some(({ tier }) => tier === "cold") ?? false;
  const isOne = a === b;
  const asked = both && !isCold && !isOne ? `${a} ${b} ${isRaw} ${revision}` : null;
  const subject = `${a} ${b} ${isRaw}`;

  const overview = useLoaded<Overview>(asked, subject, async (signal) => {
    const {
      first_divergence: first,
      summary: total,
      items,
    } = await api.diff({ a, b, raw: isRaw || undefined }, signal);
    const counts = Object.fromEntries(
      items.map(({ key, detail }) => [key, detail?.summary as DiffSummary]),
    ) as Overview["counts"];
    return { first, counts, total };
  });
  // The overview brings all dimensions with it: asked for at the same time, this one waits for it on the server.
  const items = useLoaded<readonly DiffItem[]>(
    asked && `${asked} ${dimension}`,
    `${subject} ${dimension}`,
    async (signal) => {
      const answer = await api.diff({ a, b, dimension, raw: isRaw || undefined }, signal);
      return answer.items;
    },
  );

  const isLive = isUnsettled(left.value) || isUnsettled(right.value);
  useEffect(() => {
    if (!isLive) return;
    return listen("/v1/traces/live", {
      // One that ended before it was open is not told of.
      onOpen: again,
      onMessage(data) {
        const news: unknown = JSON.parse(data);
        if (!news || typeof news !== "object" || !("id" in news) || !("status" in news)) return;
        const isOurs = news.id === a || news.id === b;
        if (isOurs && news.status !== "running" && news.status !== "queued") again();
      },
    });
  }, [isLive, a, b]);

  return { left, right, overview, items, isLive, isCold, again };
}

export type Comparison = ReturnType<typeof useComparison>;
