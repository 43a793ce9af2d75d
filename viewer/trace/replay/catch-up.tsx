import type { JSX } from "preact";
import { oneLine } from "../../ui/text.ts";
import type { PastCall, Replays } from "./api.ts";

/** What of the past reaches the target again: what is safe, all of it, or none. */
export type CatchUp = "safe" | "all" | "none";

const LONGEST = 120;
const MOST_SHOWN = 8;

interface CatchUpChoiceProps {
  past: Replays["past"];
  fromStep: number;
  chosen: CatchUp;
  onChoose: (chosen: CatchUp) => void;
}

/** Says before a replay what is sent again to the target and what is left out, and lets people choose otherwise. */
export function CatchUpChoice({ past, fromStep, chosen, onChoose }: CatchUpChoiceProps): JSX.Element {
  const before = past.filter(({ step }) => step < fromStep);
  const isSent = (call: Replays["past"][number]) => chosen === "all" || (chosen === "safe" && call.is_sent);
  const sent = before.filter(isSent);
  const leftOut = before.filter((call) => !isSent(call));
  const orders = before.some(({ method }) => method !== "GET" && method !== "HEAD");
  return (
    <div class="replay-catch-up">
      <label class="field">
        <span>Bring the target up to date first</span>
        <select
          class="select"
          value={chosen}
          onChange={(event) => onChoose(event.currentTarget.value as CatchUp)}
        >
          <option value="safe">With what is safe to send again</option>
          <option value="all">With everything that was sent</option>
          <option value="none">Not at all: it knows no session</option>
        </select>
      </label>
      <Calls title="Sent again" calls={sent} />
      <Calls title="Left out" calls={leftOut} />
      {chosen === "all" && orders && (
        <p class="replay-warning">What these requests did then, they do again: an order is placed twice.</p>
      )}
    </div>
  );
}

/** Requests with what they are about. */
export function Calls({ title, calls }: { title: string; calls: readonly PastCall[] }): JSX.Element | null {
  if (calls.length === 0) return null;
  return (
    <div class="replay-calls">
      <span class="dim">
        {title} ({calls.length})
      </span>
      <ul aria-label={title}>
        {calls.slice(0, MOST_SHOWN).map(({ method, url }, at) => (
          <li key={at} class="mono captured">
            {method} {oneLine(url, LONGEST)}
          </li>
        ))}
        {calls.length > MOST_SHOWN && <li class="dim">and {calls.length - MOST_SHOWN} more</li>}
      </ul>
    </div>
  );
}
