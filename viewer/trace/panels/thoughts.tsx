import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { formatCount, formatDuration, formatOffset, plural } from "../../ui/format.ts";
import { CheckCircle, CrossCircle, Pointer, Search, Thought as ThoughtIcon } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { useModel } from "../model/model.ts";
import { type Said, transcriptOf } from "../model/thoughts.ts";

/** What is in the document around the shown moment. */
const AROUND = 80;

function Entry({ said, isNow }: { said: Said; isNow: boolean }): JSX.Element {
  const model = useModel();
  const { step, thought } = said;
  const time = <span class="num dim said-time">{formatOffset(model.elapsed(said.ts))}</span>;
  if (step)
    return (
      <li class={isNow ? "said is-step is-now" : "said is-step"} aria-current={isNow || undefined}>
        {time}
        <button
          type="button"
          class="said-step ellipsis"
          onClick={() => model.selectStep(step.step_id, { isJump: true })}
        >
          {step.status === "failed" ? (
            <CrossCircle class="is-failed" label="Failed" />
          ) : step.kind === "assertion" ? (
            <CheckCircle class="is-passed" label="Passed" />
          ) : (
            <Pointer class="dim" />
          )}
          <span class="ellipsis captured">{oneLine(step.title, 300)}</span>
          <span class="num dim">{formatDuration(step.duration_ms)}</span>
        </button>
      </li>
    );
  return (
    <li class={isNow ? "said is-now" : "said"} aria-current={isNow || undefined}>
      {time}
      <button type="button" class="said-thought captured" onClick={() => model.selectTime(said.ts)}>
        <ThoughtIcon class="is-thought" label="Thought" />
        <span>{block(thought.text, 4000)}</span>
      </button>
    </li>
  );
}

/** What the agent thought, between what it did; the place in it follows the shown moment. */
export function ThoughtsPanel(): JSX.Element {
  const model = useModel();
  const { thoughts } = model;
  const words = useSignal("");
  const hasSteps = useSignal(true);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => thoughts.ensure(), [model]);
  const rows = thoughts.rows.value;
  const steps = model.steps.value;
  const typed = words.value.trim().toLowerCase();
  const span = model.window.value;
  const all = useMemo(() => transcriptOf(rows, hasSteps.value ? steps : []), [rows, steps, hasSteps.value]);
  const said = useMemo(
    () =>
      all.filter(
        (entry) =>
          (!span || (entry.ts >= span[0] && entry.ts <= span[1])) &&
          (typed === "" || (entry.thought?.text ?? entry.step?.title ?? "").toLowerCase().includes(typed)),
      ),
    [all, typed, span],
  );
  const at = model.playhead.value;
  const step = model.hasOwnTime.value ? null : model.step.value;
  const own = step ? said.findIndex((entry) => entry.step?.step_id === step.step_id) : -1;
  const now = own >= 0 ? own : said.findLastIndex((entry) => entry.ts <= at);
  const from = Math.max(0, Math.min(now - AROUND, said.length - 2 * AROUND));
  const shown = said.slice(from, from + 2 * AROUND);
  const marked = said[now];
  useEffect(() => {
    list.current?.querySelector(".is-now")?.scrollIntoView({ block: "nearest" });
  }, [marked]);

  if (thoughts.state.value === "error")
    return <Failed error={thoughts.error.value} retry={thoughts.ensure} />;
  const go = (index: number): void => {
    const entry = said[Math.max(0, Math.min(said.length - 1, index))];
    if (entry) model.selectTime(entry.ts);
  };
  return (
    <div class="panel-column">
      <div class="toolbar">
        <Search />
        <input
          class="bare-input"
          type="search"
          aria-label="Filter thoughts"
          placeholder="Filter"
          value={words.value}
          spellcheck={false}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
        <button
          type="button"
          class="toggle"
          aria-pressed={hasSteps.value}
          title="What was done, between the thoughts"
          onClick={() => {
            hasSteps.value = !hasSteps.value;
          }}
        >
          Actions
        </button>
        <span class="dim num" role="status">
          {plural(said.filter((entry) => entry.thought).length, "thought")}
        </span>
      </div>
      {thoughts.state.value === "ready" && rows.length === 0 ? (
        <Message icon={<ThoughtIcon />} title="No thoughts were recorded.">
          <p class="dim">
            What an agent thought stands here between what it did, once its recorder sends{" "}
            <code>agent.thought</code> events.
          </p>
        </Message>
      ) : said.length === 0 ? (
        thoughts.state.value === "ready" ? (
          <Message title="No thought matches." />
        ) : (
          <Loading label="Loading thoughts" />
        )
      ) : (
        <ol
          class="panel-scroll transcript"
          aria-label="Thoughts and actions"
          ref={list}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
          tabIndex={0}
        >
          {from > 0 && (
            <li>
              <button type="button" class="link-button said-more" onClick={() => go(from - 1)}>
                {formatCount(from)} earlier
              </button>
            </li>
          )}
          {shown.map((entry, index) => (
            <Entry
              key={`${entry.thought ? "t" : "s"}${entry.seq}`}
              said={entry}
              isNow={from + index === now}
            />
          ))}
          {from + shown.length < said.length && (
            <li>
              <button type="button" class="link-button said-more" onClick={() => go(from + shown.length)}>
                {formatCount(said.length - from - shown.length)} later
              </button>
            </li>
          )}
        </ol>
      )}
    </div>
  );
}
