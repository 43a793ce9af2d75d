import { useSignal } from "@preact/signals";
import { createTwoFilesPatch } from "diff";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { errorText, isAbort } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Play } from "../../ui/icons.tsx";
import { lineDiff } from "../../ui/line-diff.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useModel } from "../model/model.ts";
import { isSettled, type Replay, type Replays, replayApi } from "./api.ts";
import { type CatchUp, CatchUpChoice } from "./catch-up.tsx";
import { ReplayList } from "./list.tsx";

/** How often a replay that is under way is looked at. */
const LOOK_MS = 700;

/** The diff that makes one text of the other; null when they are the same. */
function diffOf(path: string, before: string, after: string): string | null {
  const ended = after === "" || after.endsWith("\n") || !before.endsWith("\n") ? after : `${after}\n`;
  return ended === before ? null : createTwoFilesPatch(path, path, before, ended);
}

/** The changed lines, as people read them. */
function Changes({ before, after }: { before: string; after: string }): JSX.Element | null {
  const { lines } = lineDiff(before, after);
  const changed = lines.filter(({ kind }) => kind === "removed" || kind === "added");
  if (changed.length === 0) return null;
  return (
    <pre class="replay-changes">
      {changed.map(({ kind, text }, at) => (
        <span key={at} class={kind === "added" ? "is-added" : "is-removed"}>
          {kind === "added" ? "+ " : "− "}
          {text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

interface StepsProps {
  steps: Iterable<{ index: number; title: string }>;
  count: number;
  chosen: number;
  onChoose: (step: number) => void;
}

function Steps({ steps, count, chosen, onChoose }: StepsProps): JSX.Element {
  const titles = new Map(Array.from(steps, ({ index, title }) => [index, title]));
  return (
    <label class="field replay-step">
      <span>From step</span>
      <select
        class="select"
        value={String(chosen)}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      >
        {Array.from({ length: count }, (_, at) => at + 1).map((step) => (
          <option key={step} value={String(step)}>
            {step}. {oneLine(titles.get(step) ?? "", 90)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Asks for a replay of the trace, and shows those that there are. */
export function ReplayDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const model = useModel();
  const { id } = model.source;
  const known = useSignal<Replays | null>(null);
  const problem = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const from = useSignal(0);
  const catchUp = useSignal<CatchUp>("safe");
  const text = useSignal<string | null>(null);
  const refusal = useSignal<string | null>(null);
  const hint = useId();
  /** Replays that were shown as the server told of them by themselves. */
  const told = useRef(0);

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const look = async (): Promise<void> => {
      const before = told.current;
      try {
        const answer = await replayApi.list(id, stop.signal);
        if (known.peek() === null) {
          const here = model.step.peek()?.index ?? model.failedSteps.peek()[0]?.index ?? 1;
          from.value = Math.max(1, Math.min(here, answer.steps));
        }
        // One that was begun meanwhile may not be in it.
        if (told.current === before) known.value = answer;
        problem.value = null;
      } catch (error) {
        if (stop.signal.aborted || isAbort(error)) return;
        // What is shown stays; the next look may succeed.
        if (known.peek() === null) problem.value = error;
      }
      if (!stop.signal.aborted) timer = setTimeout(next, LOOK_MS);
    };
    const next = (): void => {
      const isWatching = known.peek()?.items.some((replay) => !isSettled(replay)) ?? false;
      if (isWatching) void look();
      else timer = setTimeout(next, LOOK_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id]);

  const show = (replay: Replay): void => {
    if (!known.value) return;
    told.current += 1;
    const others = known.value.items.filter((one) => one.id !== replay.id);
    known.value = { ...known.value, items: [replay, ...others] };
  };
  const start = async (): Promise<void> => {
    const scenario = known.value?.scenario;
    isBusy.value = true;
    refusal.value = null;
    try {
      const diff = scenario && text.value !== null ? diffOf(scenario.path, scenario.text, text.value) : null;
      const replay = await replayApi.start(id, {
        from_step: from.value,
        ...(catchUp.value !== "safe" && { catch_up: catchUp.value === "all" }),
        triggered_via: "viewer",
        ...(diff !== null && { edits: { scenario_diff: diff } }),
      });
      show(replay);
    } catch (error) {
      refusal.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };
  const cancel = async (replay: Replay): Promise<void> => {
    try {
      show(await replayApi.cancel(replay.id));
    } catch (error) {
      notify(errorText(error), { isError: true });
    }
  };

  const answer = known.value;
  if (!answer)
    return (
      <Dialog title="Replay this trace" onClose={onClose}>
        {problem.value ? <Failed error={problem.value} /> : <Loading />}
      </Dialog>
    );
  const { scenario } = answer;
  return (
    <Dialog title="Replay this trace" onClose={onClose} width="640px">
      {answer.refusal !== null ? (
        <p class="captured">{answer.refusal}</p>
      ) : (
        <>
          <Steps
            steps={model.steps.value}
            count={answer.steps}
            chosen={from.value}
            onChoose={(step) => {
              from.value = step;
            }}
          />
          <p class="dim" id={hint}>
            {from.value > 1
              ? `The ${from.value === 2 ? "step before is" : "steps before are"} answered from this trace; from step ${from.value} on the target is asked.`
              : "The whole scenario runs again against the target."}
          </p>
          {from.value > 1 && (
            <CatchUpChoice
              past={answer.past}
              fromStep={from.value}
              chosen={catchUp.value}
              onChoose={(chosen) => {
                catchUp.value = chosen;
              }}
            />
          )}
          {scenario && (
            <details class="replay-edit">
              <summary>Edit the scenario for this replay</summary>
              <textarea
                class="mono"
                aria-label={`Text of ${oneLine(scenario.path, 200)}`}
                spellcheck={false}
                rows={12}
                value={text.value ?? scenario.text}
                onInput={(event) => {
                  text.value = event.currentTarget.value;
                }}
              />
              <Changes before={scenario.text} after={text.value ?? scenario.text} />
            </details>
          )}
          {refusal.value !== null && (
            <p class="replay-refusal captured" role="alert">
              {refusal.value}
            </p>
          )}
          <div class="dialog-foot">
            <button
              type="button"
              class="button is-primary"
              disabled={isBusy.value}
              aria-describedby={hint}
              onClick={() => void start()}
            >
              <Play />
              Replay from step {from.value}
            </button>
          </div>
        </>
      )}
      {answer.items.length > 0 && (
        <section class="replay-past" aria-live="polite">
          <h3>Replays</h3>
          <ReplayList traceId={id} replays={answer.items} onCancel={(replay) => void cancel(replay)} />
        </section>
      )}
    </Dialog>
  );
}
