import type { JSX } from "preact";
import { formatDuration, formatWall } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import type { Explanation, IncidentAnswer } from "./api.ts";
import { typeWord } from "./signs.tsx";

const WORDS: Record<IncidentAnswer["timeline"][number]["kind"], string> = {
  opened: "Opened",
  rule: "Another rule fired",
  healed: "Healed",
  acknowledged: "Acknowledged",
  suppressed: "Suppressed",
  reopened: "Opened again",
  collapsed: "Joined an outage",
  joined: "Region joined",
  resolved: "Resolved",
};

/** What happened to an incident, in its order. */
export function Timeline({ timeline }: { timeline: IncidentAnswer["timeline"] }): JSX.Element {
  return (
    <section aria-label="Timeline">
      <h2 class="run-part-head">Timeline</h2>
      <ol class="incident-timeline">
        {timeline.map(({ at, kind, text, run_id }, index) => (
          <li key={index} class={`is-${kind}`}>
            <div class="incident-moment">
              <b>{WORDS[kind]}</b>
              <time class="dim num" dateTime={at}>
                {formatWall(at)}
              </time>
            </div>
            <p class="captured">
              {oneLine(text, 500)} {run_id && <a href={`/runs/${run_id}`}>run</a>}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

const STATES = { waiting: "Waits", handed_on: "Told", superseded: "Not told" } as const;
const TONES = { waiting: "is-running", handed_on: "is-passed", superseded: "is-quiet" } as const;
const EVENTS: Record<string, string> = {
  "incident.opened": "That it opened",
  "incident.resolved": "That it ended",
  "shadow_diff.detected": "That there is drift",
};

function Notices({ notices }: Pick<Explanation, "notices">): JSX.Element {
  if (notices.length === 0) return <p class="dim">Nothing was to be told of it by itself.</p>;
  return (
    <ul class="incident-notices">
      {notices.map(({ id, event, state, why, due_at, handed_on_at }) => (
        <li key={id}>
          <span class={TONES[state]}>{STATES[state]}</span>
          <span>{EVENTS[event] ?? event}</span>
          <time class="dim num">{formatWall(handed_on_at ?? due_at)}</time>
          <p class="dim captured">{oneLine(why, 300)}</p>
        </li>
      ))}
    </ul>
  );
}

/** Why an incident opened, from which results, and what was told of it or not, and why. */
export function Why({ explanation }: { explanation: Explanation }): JSX.Element {
  return (
    <section class="incident-why" aria-label="Why">
      <h2 class="run-part-head">Why it opened</h2>
      {explanation.fired.map(({ rule, text, results }, index) => (
        <div key={index} class="incident-rule">
          <p>
            <b>{typeWord(rule)}</b> <span class="captured">{oneLine(text, 300)}</span>
          </p>
          <ol class="incident-results" aria-label="Results that the rule looked at">
            {results.map(({ run_id, status, at, duration_ms, region }) => (
              <li key={run_id}>
                <a
                  class={status === "passed" ? "is-passed" : "is-failed"}
                  href={`/runs/${run_id}`}
                  title={`${status} in ${region} at ${formatWall(at)}, ${formatDuration(duration_ms)}`}
                >
                  <span class="is-bar" aria-hidden="true" />
                  <span class="hidden-text">{`${status} at ${formatWall(at)}`}</span>
                </a>
              </li>
            ))}
          </ol>
        </div>
      ))}
      <h2 class="run-part-head">What was told</h2>
      <Notices notices={explanation.notices} />
    </section>
  );
}
