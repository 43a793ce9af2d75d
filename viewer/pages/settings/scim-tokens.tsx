import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ScimStatus } from "../../../server/identity/scim/model.ts";
import { api } from "../../api/calls.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { tellFailure } from "../../ui/failing.ts";
import { formatAgo } from "../../ui/format.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";
import { copyText, notify } from "../../ui/toast.tsx";

type Token = ScimStatus["tokens"][number];

interface TokensProps {
  tokens: Token[];
  now: number;
  onChange: () => void;
}

interface RevokeProps {
  token: Token;
  onClose: () => void;
  onRevoke: (token: Token) => void;
}

function Revoke({ token, onClose, onRevoke }: RevokeProps): JSX.Element {
  return (
    <Dialog title="Revoke this token?" onClose={onClose}>
      <p>
        A directory that still uses <span class="mono">{token.prefix}…</span> is refused at once. This cannot
        be undone.
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button is-danger" onClick={() => onRevoke(token)}>
          Revoke
        </button>
      </div>
    </Dialog>
  );
}

/** The directory's tokens: made, shown once, revoked. */
export function ScimTokens({ tokens, now, onChange }: TokensProps): JSX.Element {
  const made = useSignal<string | null>(null);
  const leaving = useSignal<Token | null>(null);
  const isBusy = useSignal(false);
  async function change(work: () => Promise<void>): Promise<void> {
    isBusy.value = true;
    try {
      await work();
      onChange();
    } catch (error) {
      tellFailure(error);
    } finally {
      isBusy.value = false;
    }
  }
  const create = () =>
    change(async () => {
      made.value = (await api.createKey({ name: "directory", scopes: ["scim:manage"] })).key;
    });
  const revoke = (token: Token) =>
    change(async () => {
      leaving.value = null;
      await api.revokeKey(token.id);
      notify("The token is revoked.");
    });
  return (
    <SettingsSection
      title="Tokens"
      about="A token lets a directory change who is in this organisation, and nothing else. Replace it each quarter: make a new one, give it to the directory, then revoke the old one. Both work until then."
    >
      {made.value !== null && (
        <div class="scim-made" role="status">
          <p>Copy the token now: it is not shown again.</p>
          <div class="command">
            <code class="ellipsis">{made.value}</code>
            <button type="button" class="button" onClick={() => void copyText(made.value ?? "", "Token")}>
              Copy
            </button>
          </div>
        </div>
      )}
      {tokens.length > 0 && (
        <ul class="scim-rows">
          {tokens.map((token) => (
            <li key={token.id}>
              <span class="mono">{token.prefix}…</span>
              <span class="scim-says">
                made {formatAgo(token.created_at, now)},{" "}
                {token.last_used_at === null ? "never used" : `used ${formatAgo(token.last_used_at, now)}`}
                {token.is_due && <strong class="is-failed"> · older than a quarter: replace it</strong>}
              </span>
              <button
                type="button"
                class="button"
                disabled={isBusy.value}
                aria-label={`Revoke ${token.prefix}`}
                onClick={() => {
                  leaving.value = token;
                }}
              >
                Revoke
              </button>
            </li>
          ))}
        </ul>
      )}
      <button
        type="button"
        class={tokens.length === 0 ? "button is-primary" : "button"}
        disabled={isBusy.value}
        onClick={() => void create()}
      >
        {tokens.length === 0 ? "Create token" : "Create another token"}
      </button>
      {leaving.value && (
        <Revoke
          token={leaving.value}
          onClose={() => {
            leaving.value = null;
          }}
          onRevoke={(token) => void revoke(token)}
        />
      )}
    </SettingsSection>
  );
}
