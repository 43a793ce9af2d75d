import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { GrantView } from "../../../../server/identity/oauth/model.ts";
import { agentsApi } from "../../../api/agents.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { tellFailure } from "../../../ui/failing.ts";
import { formatAgo, formatWall } from "../../../ui/format.ts";
import { notify } from "../../../ui/toast.tsx";

export const nameOf = ({ client }: GrantView): string => client.name ?? "An unnamed program";

function When({ at, now }: { at: string; now: number }): JSX.Element {
  return (
    <time dateTime={at} title={formatWall(at)}>
      {formatAgo(at, now)}
    </time>
  );
}

interface GrantProps {
  grant: GrantView;
  now: number;
  canApprove: boolean;
  onEnd: () => void;
  reload: () => void;
}

/** One agent that was let in: what it may do, and the way to end it. */
export function Grant({ grant, now, canApprove, onEnd, reload }: GrantProps): JSX.Element {
  const { client, user, is_mine, scopes, created_at, last_used_at } = grant;
  const approve = (): void => {
    agentsApi.setApproved(client.id, !client.approved).then(reload).catch(tellFailure);
  };
  return (
    <li class="agents-grant">
      <div class="agents-head">
        <h3 class="captured">{nameOf(grant)}</h3>
        {client.approved && <span class="badge">approved</span>}
      </div>
      <p class="dim">
        Let in by {is_mine ? "you" : user.name} <When at={created_at} now={now} />, answers go to{" "}
        {client.place}.{" "}
        {last_used_at === null ? (
          "Not used yet."
        ) : (
          <>
            Last used <When at={last_used_at} now={now} />.
          </>
        )}
      </p>
      <p class="agents-scopes">
        {scopes.map((scope) => (
          <code key={scope}>{scope}</code>
        ))}
      </p>
      <div class="agents-actions">
        {canApprove && (
          <button type="button" class="button" aria-pressed={client.approved} onClick={approve}>
            {client.approved ? "Ask for consent again" : "Approve for everybody"}
          </button>
        )}
        <button
          type="button"
          class="button is-danger"
          aria-label={`End access of ${nameOf(grant)}`}
          onClick={onEnd}
        >
          End access
        </button>
      </div>
    </li>
  );
}

interface EndProps {
  grant: GrantView;
  onClose: () => void;
  onDone: () => void;
}

export function EndDialog({ grant, onClose, onDone }: EndProps): JSX.Element {
  const isBusy = useSignal(false);
  const end = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await agentsApi.end(grant.id);
      notify("Its access has ended.");
      onDone();
    } catch (error) {
      tellFailure(error);
    } finally {
      isBusy.value = false;
      onClose();
    }
  };
  return (
    <Dialog title="End this agent's access?" onClose={onClose}>
      <p>
        <span class="captured">{nameOf(grant)}</span> can do nothing here from now on. To come back it has to
        ask {grant.is_mine ? "you" : grant.user.name} again.
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button is-primary" disabled={isBusy.value} onClick={() => void end()}>
          End access
        </button>
      </div>
    </Dialog>
  );
}
