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

type Notice = Explanation["notices"][number];
type Delivery = Notice["deliveries"][number];

const CAME: Record<Delivery["state"], string> = {
  delivered: "arrived",
  pending: "on its way",
  dead: "given up",
};

/** What came of a notice, as a word with its tone: that it was handed to a channel does not say that anybody has it. */
function outcomeOf({ state, channels, deliveries }: Notice): { word: string; tone: string } {
  if (state === "waiting") return { word: "Waits", tone: "is-running" };
  if (state === "superseded") return { word: "Not told", tone: "is-quiet" };
  if (deliveries.length === 0)
    return { word: "Nobody", tone: channels?.length === 0 ? "is-quiet" : "is-failed" };
  const came = new Set(deliveries.map((delivery) => delivery.state));
  if (came.has("delivered")) return { word: "Told", tone: "is-passed" };
  return came.has("pending")
    ? { word: "Sending", tone: "is-running" }
    : { word: "Given up", tone: "is-failed" };
}

function whatCame({ channel, state, error }: Delivery): string {
  return `${oneLine(channel, 100)}: ${CAME[state]}${error ? `. ${oneLine(error, 300)}` : ""}`;
}

const EVENTS: Record<string, string> = {
  "incident.opened": "That it opened",
  "incident.resolved": "That it ended",
  "shadow_diff.detected": "That there is drift",
};

function Notices({ notices }: Pick<Explanation, "notices">): JSX.Element {
  if (notices.length === 0) return <p class="dim">Nothing was to be told of it by itself.</p>;
  return (
    <ul class="incident-notices">
      {notices.map((notice) => (
        <NoticeItem key={notice.id} notice={notice} />
      ))}
    </ul>
  );
}

function NoticeItem({ notice }: { notice: Notice }): JSX.Element {
  const { event, state, why, due_at, handed_on_at, deliveries } = notice;
  const { word, tone } = outcomeOf(notice);
  return (
    <li>
      <span class={tone}>{word}</span>
      <span>{EVENTS[event] ?? event}</span>
      <time class="dim num">{formatWall(handed_on_at ?? due_at)}</time>
      <p class="dim captured">{oneLine(why, 300)}</p>
      {deliveries.map((delivery) => (
        <p key={delivery.id} class="captured">
          {whatCame(delivery)}
        </p>
      ))}
      {state === "handed_on" && deliveries.length === 0 && <p>No channel was on for it.</p>}
    </li>
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
