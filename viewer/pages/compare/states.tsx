import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { hasEnded } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { ApiError, errorText } from "../../api/request.ts";
import { navigate, setQuery } from "../../router.ts";
import { Clock, Compare, Snow } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { comparePath } from "./address.ts";
import { TracesOfScenario } from "./choose.tsx";
import type { Trace } from "./model.ts";

const POLL_MS = 1500;

function Centre({ children }: { children: JSX.Element }): JSX.Element {
  return <main class="page-centre">{children}</main>;
}

/** The address names no traces. */
export function NothingChosen(): JSX.Element {
  return (
    <Centre>
      <Message icon={<Compare />} title="Choose two traces to compare.">
        <p>
          In the <a href="/traces">list of traces</a>, mark two with the sign at the end of their rows or with{" "}
          <kbd>x</kbd>, then compare them with <kbd>c</kbd>. On the page of a failed trace, <kbd>c</kbd>{" "}
          compares it with the last pass.
        </p>
      </Message>
    </Centre>
  );
}

/** A side that cannot be read. */
export function Unreadable({
  side,
  error,
  retry,
}: {
  side: "A" | "B";
  error: unknown;
  retry: () => void;
}): JSX.Element {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Centre>
      {isGone ? (
        <Message title={`There is no such trace as ${side}. It may have been removed.`}>
          <a href="/traces">All traces</a>
        </Message>
      ) : (
        <Failed error={error} retry={retry} />
      )}
    </Centre>
  );
}

/** Finds what a trace is compared with, and goes there. */
export function FindBaseline({ id }: { id: string }): JSX.Element {
  const { data, error } = useLoad(id, async (signal) => {
    const [trace, baseline] = [await api.detail(id, signal), await api.baseline(id, signal)];
    return { trace, baseline };
  });
  useEffect(() => {
    if (data?.baseline) setQuery({ a: data.baseline.id }, { replace: true });
  }, [data]);
  if (error) return <Unreadable side="B" error={error} retry={() => location.reload()} />;
  if (!data || data.baseline) return <Loading label="Looking for the last pass" />;
  const { trace } = data;
  return (
    <main class="compare-none">
      <Message
        icon={<Compare />}
        title={`No trace of “${oneLine(trace.scenario_title || trace.scenario_slug, 120)}” passed before this one.`}
      >
        <p>
          Compare it with another trace of the scenario, or go back to <a href={`/traces/${id}`}>the trace</a>
          .
        </p>
      </Message>
      <TracesOfScenario
        scenarioId={trace.scenario_id}
        without={id}
        onChoose={(other) => navigate(comparePath(other, id), { replace: true })}
      />
    </main>
  );
}

/** Both sides are one trace. */
export function SameTwice({ trace }: { trace: Trace }): JSX.Element {
  return (
    <main class="compare-none">
      <Message icon={<Compare />} title="Both sides are the same trace.">
        <p>Choose another one for A:</p>
      </Message>
      <TracesOfScenario
        scenarioId={trace.scenario_id}
        without={trace.id}
        onChoose={(other) => navigate(comparePath(other, trace.id), { replace: true })}
      />
    </main>
  );
}

function ColdTrace({
  side,
  trace,
  onBack,
}: {
  side: "A" | "B";
  trace: Trace;
  onBack: () => void;
}): JSX.Element {
  const isRestoring = useSignal(trace.restoring ?? false);
  useEffect(() => {
    if (!isRestoring.value) return;
    const timer = setInterval(async () => {
      try {
        const now = await api.detail(trace.id);
        if (now.tier !== "cold") return onBack();
        if (!now.restore_error) return;
        notify(now.restore_error, { isError: true });
      } catch (error) {
        notify(errorText(error), { isError: true });
      }
      isRestoring.value = false;
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isRestoring.value]);
  const restore = async (): Promise<void> => {
    try {
      await api.restore(trace.id);
      isRestoring.value = true;
    } catch (error) {
      notify(errorText(error), { isError: true });
    }
  };
  return (
    <p class="compare-cold">
      <span class={`side side-${side.toLowerCase()}`}>{side}</span>
      <button type="button" class="button" disabled={isRestoring.value} onClick={() => void restore()}>
        {isRestoring.value ? "Restoring…" : `Restore ${side}`}
      </button>
    </p>
  );
}

/** What is in cold storage has to be brought back first. */
export function ColdTraces({
  left,
  right,
  again,
}: {
  left: Trace;
  right: Trace;
  again: () => void;
}): JSX.Element {
  const cold = (
    [
      ["A", left],
      ["B", right],
    ] as const
  ).filter(([, { tier }]) => tier === "cold");
  return (
    <Message
      icon={<Snow />}
      title={
        cold.length === 2
          ? "Both traces are in cold storage: their events have to be fetched before they are compared."
          : `Trace ${cold[0]?.[0]} is in cold storage: its events have to be fetched before it is compared.`
      }
    >
      {cold.map(([side, trace]) => (
        <ColdTrace key={trace.id} side={side} trace={trace} onBack={again} />
      ))}
    </Message>
  );
}

/** A trace that still grows is compared as far as it is. */
export function LiveStrip({
  left,
  right,
  again,
  isLoading,
}: {
  left: Trace;
  right: Trace;
  again: () => void;
  isLoading: boolean;
}): JSX.Element {
  const names = (
    [
      ["A", left],
      ["B", right],
    ] as const
  )
    .filter(([, trace]) => !hasEnded(trace))
    .map(([side]) => side);
  return (
    <div class="compare-live" role="status">
      <Clock />
      <span>
        {names.length === 2 ? "Both traces are" : `Trace ${names[0]} is`} still being recorded: compared as
        far as it is, and again when it ends.
      </span>
      <button type="button" class="button" disabled={isLoading} onClick={again}>
        Compare again
      </button>
    </div>
  );
}
