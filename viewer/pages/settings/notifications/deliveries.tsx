import type { JSX } from "preact";
import { formatAgo } from "../../../ui/format.ts";
import { CheckCircle, CrossCircle } from "../../../ui/icons.tsx";
import { oneLine } from "../../../ui/text.ts";
import { useNow } from "../../../ui/use-now.ts";
import { Again, DeliverySection, Tries } from "../parts/delivery-table.tsx";
import { type Delivery, notificationsApi } from "./api.ts";
import { STATES } from "./words.ts";

function Sign({ state }: Pick<Delivery, "state">): JSX.Element {
  if (state === "delivered") return <CheckCircle class="is-passed" />;
  return state === "dead" ? <CrossCircle class="is-failed" /> : <span class="spinner" aria-hidden="true" />;
}

function Row({ delivery, onReplayed }: { delivery: Delivery; onReplayed: () => void }): JSX.Element {
  const now = useNow(false);
  const { id, channel, state, attempts, last_error, incident_id, created_at } = delivery;
  const title = oneLine(delivery.title, 200);
  return (
    <tr>
      <td>
        <Sign state={state} /> {STATES[state]}
      </td>
      <th scope="row" class="settings-long captured">
        {incident_id === null ? title : <a href={`/incidents/${incident_id}`}>{title}</a>}
        {last_error !== null && state !== "delivered" && <Tries attempts={attempts} error={last_error} />}
      </th>
      <td>{oneLine(channel.name, 60)}</td>
      <td class="dim">{formatAgo(created_at, now)}</td>
      <td class="settings-acts">
        {state === "dead" && (
          <Again
            word="Send again"
            title={title}
            replay={() => notificationsApi.replay(id)}
            onReplayed={onReplayed}
          />
        )}
      </td>
    </tr>
  );
}

/** What was told lately, with what came of it. @param revision grows when there is news */
export function Deliveries({ revision }: { revision: number }): JSX.Element {
  return (
    <DeliverySection
      title="What was told"
      about={(shown) =>
        `The last ${shown} messages. One that does not arrive is tried again for a day and then given up.`
      }
      name="What was told"
      columns={["State", "Message", "Channel", "When"]}
      load={notificationsApi.deliveries}
      isWaiting={({ state }) => state === "pending"}
      row={(delivery, look) => <Row key={delivery.id} delivery={delivery} onReplayed={look} />}
      revision={revision}
    />
  );
}
