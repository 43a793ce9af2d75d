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
import { type Delivery, notificationsApi } from "./api.ts";
import { STATES } from "./words.ts";

const SHOWN = 50;
/** How soon what waits is asked for again. */
const LOOK_MS = 2000;

function Sign({ state }: Pick<Delivery, "state">): JSX.Element {
  if (state === "delivered") return <CheckCircle class="is-passed" />;
  return state === "dead" ? <CrossCircle class="is-failed" /> : <span class="spinner" aria-hidden="true" />;
}

function Row({ delivery, onReplayed }: { delivery: Delivery; onReplayed: () => void }): JSX.Element {
  const now = useNow(false);
  const { id, channel, title, state, attempts, last_error, incident_id, created_at } = delivery;
  const replay = (): void => void notificationsApi.replay(id).then(onReplayed, tellFailure);
  return (
    <tr>
      <td>
        <Sign state={state} /> {STATES[state]}
      </td>
      <th scope="row" class="settings-long captured">
        {incident_id === null ? (
          oneLine(title, 200)
        ) : (
          <a href={`/incidents/${incident_id}`}>{oneLine(title, 200)}</a>
        )}
        {last_error !== null && state !== "delivered" && (
          <span class="settings-note is-failed captured">
            {attempts} {attempts === 1 ? "try" : "tries"}: {oneLine(last_error, 300)}
          </span>
        )}
      </th>
      <td>{oneLine(channel.name, 60)}</td>
      <td class="dim">{formatAgo(created_at, now)}</td>
      <td class="settings-acts">
        {state === "dead" && (
          <button type="button" class="button" aria-label={`Send again: ${title}`} onClick={replay}>
            Send again
          </button>
        )}
      </td>
    </tr>
  );
}

/** What was told lately, with what came of it. @param revision grows when there is news */
export function Deliveries({ revision }: { revision: number }): JSX.Element {
  const own = useSignal(0);
  const { data, error } = useLoad(
    "deliveries",
    async (signal) => {
      const page = await notificationsApi.deliveries({ limit: SHOWN }, signal);
      if (page.items.some(({ state }) => state === "pending"))
        setTimeout(() => !signal.aborted && own.value++, LOOK_MS);
      return page;
    },
    revision + own.value,
  );
  const look = (): void => void own.value++;
  return (
    <SettingsSection
      title="What was told"
      about={`The last ${SHOWN} messages. One that does not arrive is tried again for a day and then given up.`}
    >
      {error ? (
        <Failed error={error} retry={look} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <p class="dim">Nothing yet.</p>
      ) : (
        <div class="settings-scroll">
          <table class="settings-table" aria-label="What was told">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Message</th>
                <th scope="col">Channel</th>
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
