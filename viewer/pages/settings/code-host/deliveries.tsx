import type { JSX } from "preact";
import { formatAgo } from "../../../ui/format.ts";
import { CheckCircle, CrossCircle } from "../../../ui/icons.tsx";
import { oneLine } from "../../../ui/text.ts";
import { useNow } from "../../../ui/use-now.ts";
import { Again, DeliverySection, Tries } from "../parts/delivery-table.tsx";
import { codeHostApi, type InboundDelivery } from "./api.ts";

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
  return (
    <tr>
      <td>
        <Sign state={state} /> {STATES[state]}
      </td>
      <th scope="row" class="settings-long captured">
        {title}
        {outcome !== null && <span class="settings-note dim captured">{oneLine(outcome, 300)}</span>}
        {error !== null && <Tries attempts={attempts} error={error} />}
      </th>
      <td class="dim">{formatAgo(received_at, now)}</td>
      <td class="settings-acts">
        {can_be_replayed && state !== "done" && (
          <Again
            word="Handle again"
            title={title}
            replay={() => codeHostApi.replay(id)}
            onReplayed={onReplayed}
          />
        )}
      </td>
    </tr>
  );
}

/** What the code host told lately, with what came of it. */
export function Deliveries(): JSX.Element {
  return (
    <DeliverySection
      title="What it told"
      about={(shown) =>
        `The last ${shown} deliveries of the webhook. One that came too late, or could not be handled, can be handled again.`
      }
      name="What the code host told"
      columns={["State", "Event", "When"]}
      load={codeHostApi.deliveries}
      isWaiting={({ state }) => state === "queued"}
      row={(delivery, look) => <Row key={delivery.id} delivery={delivery} onReplayed={look} />}
    />
  );
}
