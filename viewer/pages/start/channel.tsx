import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { Problem } from "../checks/form.tsx";
import { AddChannel } from "../settings/notifications/add-channel.tsx";
import { type Delivery, notificationsApi } from "../settings/notifications/api.ts";
import { STATES, TYPES } from "../settings/notifications/words.ts";
import type { StepProps } from "./step.tsx";

/** How soon what is on its way is asked for again. */
const LOOK_MS = 700;
const SHOWN = 50;

/** What came of a test, in the words of the receiver where it was refused. */
function Came({ delivery }: { delivery: Delivery }): JSX.Element {
  const { state, last_error, attempts } = delivery;
  if (state === "delivered") return <span class="is-passed">The test arrived.</span>;
  if (last_error === null) return <span class="dim">The test {STATES[state]}…</span>;
  return (
    <span class="is-failed captured" role="alert">
      {state === "dead" ? "It was given up" : `After ${attempts} ${attempts === 1 ? "try" : "tries"}`}:{" "}
      {oneLine(last_error, 300)}
    </span>
  );
}

/** The newest test of each channel. */
const testsOf = (deliveries: readonly Delivery[]): Map<string, Delivery> =>
  new Map(
    deliveries
      .filter(({ event }) => event === "test")
      .reverse()
      .map((delivery) => [delivery.channel.id, delivery]),
  );

/** A channel, and a message over it that has arrived. */
export function ChannelStep({ onChanged }: StepProps): JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [revision, setRevision] = useState(0);
  const look = (): void => setRevision((was) => was + 1);
  const channels = useLoad("channels", (signal) => notificationsApi.channels(signal), revision);
  const told = useLoad(
    "deliveries",
    async (signal) => {
      const { items } = await notificationsApi.deliveries({ limit: SHOWN }, signal);
      const isWaiting = items.some(({ event, state }) => event === "test" && state === "pending");
      if (isWaiting) setTimeout(() => !signal.aborted && look(), LOOK_MS);
      else onChanged();
      return testsOf(items);
    },
    revision,
  );
  async function test(id: string): Promise<void> {
    setProblem(null);
    try {
      await notificationsApi.tryOut(id);
    } catch (error) {
      setProblem(errorText(error));
    }
    look();
  }
  const items = channels.data?.items ?? [];
  const wrong = problem ?? (channels.error ? errorText(channels.error) : null);
  return (
    <>
      <p class="dim">
        A webhook, a chat, a pager or an email address. A test shows that it arrives before it matters.
      </p>
      {items.length > 0 && (
        <ul class="start-channels">
          {items.map(({ id, name, type, enabled }) => {
            const delivery = told.data?.get(id);
            return (
              <li key={id}>
                <strong class="captured">{oneLine(name, 100)}</strong>
                <span class="dim">{TYPES[type].word}</span>
                <button
                  type="button"
                  class={delivery ? "button" : "button is-primary"}
                  disabled={!enabled || delivery?.state === "pending"}
                  aria-label={`Send a test: ${name}`}
                  onClick={() => void test(id)}
                >
                  Send a test
                </button>
                {delivery && <Came delivery={delivery} />}
              </li>
            );
          })}
        </ul>
      )}
      <div class="start-acts">
        <button
          type="button"
          class={items.length === 0 ? "button is-primary" : "button"}
          disabled={!channels.data}
          onClick={() => setAdding(true)}
        >
          Add a channel
        </button>
        <a href="/settings/notifications">All channels, and what was told</a>
      </div>
      <Problem text={wrong} />
      {isAdding && <AddChannel onAdded={look} onClose={() => setAdding(false)} />}
    </>
  );
}
