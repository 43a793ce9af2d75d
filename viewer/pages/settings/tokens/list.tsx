import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KeyView } from "../../../../server/identity/keys/model.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { tellFailure } from "../../../ui/failing.ts";
import { formatAgo, formatWall } from "../../../ui/format.ts";
import { notify } from "../../../ui/toast.tsx";
import { tokensApi } from "./api.ts";
import { expiryWords, KIND_NAMES, usedWords } from "./words.ts";

/** Scopes that a row names; of more, how many. */
const SCOPES_SHOWN = 4;

/** Keys and tokens as rows; on narrow screens each is a few lines. */
export function TokenList({
  keys,
  now,
  onChange,
}: {
  keys: readonly KeyView[];
  now: number;
  onChange: () => void;
}): JSX.Element {
  const [leaving, setLeaving] = useState<KeyView | null>(null);
  return (
    <>
      <ul class="tokens" aria-label="Keys and tokens">
        {keys.map((key) => (
          <li key={key.id} class="token">
            <TokenRow view={key} now={now} />
            <button
              type="button"
              class="button"
              aria-label={`Revoke ${key.name}`}
              onClick={() => setLeaving(key)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      {leaving && <Revoke view={leaving} now={now} onDone={onChange} onClose={() => setLeaving(null)} />}
    </>
  );
}

function TokenRow({ view, now }: { view: KeyView; now: number }): JSX.Element {
  const { words, isSoon } = expiryWords(view.expires_at, now);
  const more = view.scopes.length - SCOPES_SHOWN;
  return (
    <div class="token-what">
      <p class="token-name">
        <span class="captured">{view.name}</span>
        <span class="token-kind">{KIND_NAMES[view.kind]}</span>
        {view.status === "unverified" && <span class="token-kind is-error">not verified</span>}
        <span class="mono dim">{view.prefix}…</span>
      </p>
      <p class="token-scopes mono" title={view.scopes.join("\n")}>
        {view.scopes.slice(0, SCOPES_SHOWN).join("  ")}
        {more > 0 && <span class="dim"> and {more} more</span>}
      </p>
      <p class="dim token-facts">
        <span title={formatWall(view.created_at)}>
          made {formatAgo(view.created_at, now)}
          {view.made_by && (
            <>
              {" by "}
              <span class="captured">{view.made_by.name}</span>
            </>
          )}
          {view.status === "unverified" && " by an agent itself"}
        </span>
        <span title={view.last_used_at ? formatWall(view.last_used_at) : undefined}>
          {usedWords(view.last_used_at, now)}
        </span>
        <span
          class={isSoon ? "is-error" : undefined}
          title={view.expires_at ? formatWall(view.expires_at) : undefined}
        >
          {words}
        </span>
      </p>
    </div>
  );
}

function Revoke({
  view,
  now,
  onDone,
  onClose,
}: {
  view: KeyView;
  now: number;
  onDone: () => void;
  onClose: () => void;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  async function revoke(): Promise<void> {
    setBusy(true);
    try {
      await tokensApi.revoke(view.id);
      notify(`${view.name} is revoked.`);
      onDone();
    } catch (error) {
      tellFailure(error);
    }
    onClose();
  }
  return (
    <Dialog
      title={`Revoke this ${KIND_NAMES[view.kind].toLowerCase().replace("api", "API")}?`}
      onClose={onClose}
    >
      <p>
        <strong class="captured">{view.name}</strong> stops working at once, and cannot be brought back. It
        was {usedWords(view.last_used_at, now)}.
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button is-danger" disabled={isBusy} onClick={() => void revoke()}>
          Revoke
        </button>
      </div>
    </Dialog>
  );
}
