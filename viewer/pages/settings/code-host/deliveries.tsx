import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { tellFailure } from "../../../ui/failing.ts";
import { formatAgo } from "../../../ui/format.ts";
import { CheckCircle, CrossCircle } from "../../../ui/icons.tsx";
import { Failed, Loading } from "../../../ui/message.tsx";
import { SettingsSection } from "../../../ui/settings-page.tsx";
import { oneLine } from "../../../ui/text.ts";
import { useLoad } from "../../../ui/use-load.ts";
import { useNow } from "../../../ui/use-now.ts";
import { codeHostApi, type InboundDelivery } from "./api.ts";

const SHOWN = 50;
/** How soon what waits is asked for again. */
const LOOK_MS = 2000;

const STATES: Record<InboundDelivery["state"], string> = {
  queued: "waits",
  done: "done",
  ignored: "ignored",
  stale: "too late",
  unreadable: "unreadable",
  dead: "given up",
};

function Sign({ state }: Pick<InboundDelivery, "state">): JSX.Element | null {
  if (state === "done") return <CheckCircle class="is-passed" />;
  if (state === "queued") return <span class="spinner" aria-hidden="true" />;
  return state === "ignored" ? null : <CrossCircle class="is-failed" />;
}

/** `pull_request opened` as people read it. */
const titleOf = ({ event, action, subject }: InboundDelivery): string =>
  [event.replaceAll("_", " "), action?.replaceAll("_", " "), subject]
    .filter((word) => word !== null && word !== undefined)
    .join(" ");

function Row({ delivery, onReplayed }: { delivery: InboundDelivery; onReplayed: () => void }): JSX.Element {
  const now = useNow(false);
  const { id, state, outcome, error, attempts, received_at, can_be_replayed } = delivery;
  const title = oneLine(titleOf(delivery), 200);
  const replay = (): void => void codeHostApi.replay(id).then(onReplayed, tellFailure);
  return (
    <tr>
      <td>
        <Sign state={state} /> {STATES[state]}
      </td>
      <th scope="row" class="settings-long captured">
        {title}
        {outcome !== null && <span class="settings-note dim captured">{oneLine(outcome, 300)}</span>}
        {error !== null && (
          <span class="settings-note is-failed captured">
            {attempts} {attempts === 1 ? "try" : "tries"}: {oneLine(error, 300)}
          </span>
        )}
      </th>
      <td class="dim">{formatAgo(received_at, now)}</td>
      <td class="settings-acts">
        {can_be_replayed && state !== "done" && (
          <button type="button" class="button" aria-label={`Handle again: ${title}`} onClick={replay}>
            Handle again
          </button>
        )}
      </td>
    </tr>
  );
}

/** What the code host told lately, with what came of it. */
export function Deliveries(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad(
    "inbound deliveries",
    async (signal) => {
      const page = await codeHostApi.deliveries({ limit: SHOWN }, signal);
      if (page.items.some(({ state }) => state === "queued"))
        setTimeout(() => !signal.aborted && revision.value++, LOOK_MS);
      return page;
    },
    revision.value,
  );
  const look = (): void => void revision.value++;
  return (
    <SettingsSection
      title="What it told"
      about={`The last ${SHOWN} deliveries of the webhook. One that came too late, or could not be handled, can be handled again.`}
    >
      {error ? (
        <Failed error={error} retry={look} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <p class="dim">Nothing yet.</p>
      ) : (
        <div class="settings-scroll">
          <table class="settings-table" aria-label="What the code host told">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Event</th>
                <th scope="col">When</th>
                <th scope="col">
                  <span class="hidden-text">Act</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((delivery) => (
                <Row key={delivery.id} delivery={delivery} onReplayed={look} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </SettingsSection>
  );
}
