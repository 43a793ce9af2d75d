import type { JSX, TargetedMouseEvent } from "preact";
import type { Attempts } from "../../../server/trace/attempts/model.ts";
import { api } from "../../api/calls.ts";
import { errorText, isAbort } from "../../api/request.ts";
import { memberTrace } from "../../api/trace-source.ts";
import { navigate } from "../../router.ts";
import { useKeys } from "../../ui/keyboard.ts";
import { statusIcon, statusTone, statusWord } from "../../ui/status.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { sameStep } from "./same-step.ts";

type Attempt = Attempts["items"][number];

/** Of the address: what belongs to one recording and means nothing in another. */
const OWN_KEYS = ["step", "t", "w", "event"];

/** Where the other attempt shows what this page shows: same panel, same step. Whoever chose no step gets the other's own. */
async function addressIn(model: TraceModel, id: string): Promise<string> {
  const params = new URLSearchParams(location.search);
  const step = params.has("step") || model.isAtFailure.peek() ? model.step.peek() : null;
  for (const key of OWN_KEYS) params.delete(key);
  if (step) {
    const { steps } = await memberTrace(id).summary();
    const same = sameStep(step, model.steps.peek(), steps);
    if (same) params.set("step", same.step_id);
  }
  const text = params.toString();
  return `/traces/${id}${text && `?${text}`}`;
}

async function switchTo(model: TraceModel, attempt: Attempt): Promise<void> {
  try {
    const address = await addressIn(model, attempt.id);
    // On their way while the page is put up.
    memberTrace(attempt.id).askEarly();
    navigate(address);
  } catch (error) {
    if (!isAbort(error)) notify(errorText(error), { isError: true });
  }
}

function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** The tries of the run that the trace is one of; each opens at the step that is shown. Nothing when there is one only. */
export function AttemptSwitch(): JSX.Element | null {
  const model = useModel();
  const { id, isShared } = model.source;
  const detail = model.detail.value;
  const isAsked = detail?.run_id != null && !isShared;
  const { data } = useLoad(isAsked ? `${id} ${detail.status}` : null, (signal) => api.attempts(id, signal));
  const items = data?.items ?? [];
  const at = items.findIndex((attempt) => attempt.id === id);
  const move = (by: 1 | -1): boolean => {
    const next = items[at + by];
    if (at < 0 || !next) return false;
    void switchTo(model, next);
    return true;
  };
  useKeys(
    items.length < 2
      ? []
      : [
          { keys: [")"], label: "Next attempt of the run", group: "Trace", run: () => move(1) },
          { keys: ["("], label: "Previous attempt of the run", group: "Trace", run: () => move(-1) },
        ],
  );
  if (items.length < 2) return null;
  const onClick = (attempt: Attempt) => (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    if (attempt.id !== id) void switchTo(model, attempt);
  };
  return (
    <nav class="attempts" aria-label="Attempts of this run">
      <span class="dim attempts-word">Attempt</span>
      {items.map((attempt) => {
        const StatusIcon = statusIcon(attempt.status);
        return (
          <a
            key={attempt.id}
            href={`/traces/${attempt.id}`}
            aria-current={attempt.id === id ? "true" : undefined}
            aria-label={`Attempt ${attempt.number}, ${statusWord(attempt.status).toLowerCase()}`}
            title={`Attempt ${attempt.number}, ${statusWord(attempt.status).toLowerCase()}   ( ( and ) )`}
            onClick={onClick(attempt)}
          >
            <span class="num">{attempt.number}</span>
            <StatusIcon class={statusTone(attempt.status)} />
          </a>
        );
      })}
    </nav>
  );
}
