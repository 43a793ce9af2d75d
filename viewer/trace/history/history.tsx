import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { History } from "../../../server/trace/histories/model.ts";
import { hasEnded } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { errorText } from "../../api/request.ts";
import { flakinessWords, percent, RegressionLine } from "../../ui/history-words.tsx";
import { isNarrow, isWide } from "../../ui/media.ts";
import { Section } from "../../ui/parts.tsx";
import { RunStrip } from "../../ui/run-strip.tsx";
import { type TraceModel, useModel } from "../model/model.ts";

const IN_HEADER = 12;

interface Known {
  /** As it is now. */
  now: History;
  /** As it was when this trace was the newest. */
  then: History;
}

interface Slot {
  isAsked: boolean;
  known: Signal<Known | null>;
  error: Signal<unknown>;
}

/** One answer for all places of a page that show it. */
const slots = new WeakMap<TraceModel, Slot>();

function slotOf(model: TraceModel): Slot {
  const known = slots.get(model) ?? { isAsked: false, known: signal(null), error: signal(null) };
  slots.set(model, known);
  return known;
}

async function load(model: TraceModel, slot: Slot, slug: string): Promise<void> {
  slot.isAsked = true;
  try {
    const now = await api.history(slug, {});
    const isNewest = now.items[0]?.id === model.source.id;
    const then = isNewest ? now : await api.history(slug, { until: model.source.id });
    slot.known.value = { now, then };
  } catch (error) {
    slot.error.value = error;
  }
}

/** The history of the trace's scenario; asked for after the first screen, and only once the trace is finished. */
function useHistory(): Slot {
  const model = useModel();
  const slot = slotOf(model);
  const detail = model.detail.value;
  const isFinished = detail !== null && hasEnded(detail);
  const canAsk = isFinished && !model.source.isShared && model.summary.value !== null;
  const slug = detail?.scenario_slug ?? "";
  useEffect(() => {
    if (canAsk && !slot.isAsked) void load(model, slot, slug);
  }, [canAsk]);
  return slot;
}

/** The last runs of the scenario beside the trace's name, as the way to its history. */
export function HeaderHistory(): JSX.Element | null {
  const { known } = useHistory();
  const model = useModel();
  if (!known.value || !isWide.value || known.value.now.items.length < 2) return null;
  const { scenario, items } = known.value.now;
  return (
    <a class="header-history" href={`/scenarios/${scenario.slug}`} title="History of this scenario">
      <RunStrip runs={items} current={model.source.id} most={IN_HEADER} />
    </a>
  );
}

/** Of a failed trace: since which commit it fails, and the last that passed. */
export function SinceWhen(): JSX.Element | null {
  const { known } = useHistory();
  const model = useModel();
  const regression = known.value?.then.regression;
  if (!regression || model.detail.value?.status !== "failed") return null;
  const { statistics } = known.value!.then;
  const isFlaky = (statistics.flakiness.score ?? 0) > 0;
  return (
    <Section title="Since when">
      <p>
        <RegressionLine regression={regression} here={model.source.id} />
      </p>
      {isFlaky && (
        <p class="dim" title={flakinessWords(statistics)}>
          Flaky: the outcome changed between {percent(statistics.flakiness.score ?? 0)} of neighbouring runs
          on one commit.
        </p>
      )}
    </Section>
  );
}

/** The scenario over time, for the panel that says what the trace is. */
export function HistorySection(): JSX.Element | null {
  const { known, error } = useHistory();
  const model = useModel();
  if (model.source.isShared) return null;
  if (error.value !== null)
    return (
      <Section title="Scenario over time">
        <p class="dim captured">{errorText(error.value)}</p>
      </Section>
    );
  if (!known.value) return null;
  const { scenario, items, statistics } = known.value.now;
  const { regression } = known.value.then;
  const { pass_rate, flakiness } = statistics;
  return (
    <Section
      title="Scenario over time"
      aside={<a href={`/scenarios/${scenario.slug}`}>{isNarrow.value ? "All" : "All runs"}</a>}
    >
      <RunStrip runs={items} current={model.source.id} />
      <p class="dim" title={flakinessWords(statistics)}>
        {pass_rate === null ? "No verdict yet" : `${percent(pass_rate)} passed`}
        {flakiness.score !== null && `, ${percent(flakiness.score)} flaky`}
      </p>
      {regression && (
        <p>
          <RegressionLine regression={regression} here={model.source.id} />
        </p>
      )}
    </Section>
  );
}
