import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CreatedKey, KeyView, NewKey } from "../../../../server/identity/keys/model.ts";
import type { Me } from "../../../../server/identity/me/model.ts";
import { errorText } from "../../../api/request.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Warning } from "../../../ui/icons.tsx";
import { copyText } from "../../../ui/toast.tsx";
import { tokensApi } from "./api.ts";
import { chosenExpiry, ExpiryChoice, ScopeChoice } from "./scopes.tsx";
import { expiryWords, KIND_NAMES, KIND_WORDS } from "./words.ts";

type Kind = KeyView["kind"];

/** Asks what a new token is to be, makes it, and shows its secret once. */
export function CreateToken({
  me,
  onMade,
  onClose,
}: {
  me: Me;
  onMade: () => void;
  onClose: () => void;
}): JSX.Element {
  const [made, setMade] = useState<CreatedKey | null>(null);
  return made ? (
    <Dialog title={`${KIND_NAMES[made.kind]} made`} onClose={onClose} width="560px">
      <ShownOnce made={made} onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog title="Create a token" onClose={onClose} width="560px">
      <NewToken
        me={me}
        onClose={onClose}
        onMade={(key) => {
          setMade(key);
          onMade();
        }}
      />
    </Dialog>
  );
}

function NewToken({
  me,
  onMade,
  onClose,
}: {
  me: Me;
  onMade: (made: CreatedKey) => void;
  onClose: () => void;
}): JSX.Element {
  const kinds: Kind[] = me.scopes.includes("keys:manage") ? ["pat", "svc", "sk"] : ["pat"];
  const [kind, setKind] = useState<Kind>("pat");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  async function make(form: FormData): Promise<void> {
    if (chosen.value.size === 0) return setProblem("Choose at least one scope.");
    setBusy(true);
    setProblem(null);
    try {
      const scopes = [...chosen.value] as NewKey["scopes"];
      const name = String(form.get("name")).trim();
      onMade(await tokensApi.create({ kind, name, scopes, expires_at: chosenExpiry(form) }));
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  }
  return (
    <form
      class="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        void make(new FormData(event.currentTarget));
      }}
    >
      {kinds.length > 1 && (
        <fieldset class="choices">
          <legend>Kind</legend>
          {kinds.map((one) => (
            <label key={one} class="choice">
              <input type="radio" name="kind" checked={one === kind} onChange={() => setKind(one)} />
              <span>
                {KIND_NAMES[one]}
                <span class="dim choice-says">{KIND_WORDS[one]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {kinds.length === 1 && <p class="dim">{KIND_WORDS.pat}</p>}
      <div class="token-fields">
        <label>
          Name
          <input
            class="input"
            name="name"
            required
            maxLength={200}
            pattern=".*\S.*"
            placeholder="What it is for"
            autocomplete="off"
            autofocus
          />
        </label>
        <ExpiryChoice mayBeEndless={kind !== "pat"} />
      </div>
      <ScopeChoice scopes={me.scopes} chosen={chosen} />
      {problem && (
        <p class="is-failed captured" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button is-primary" disabled={isBusy}>
          {isBusy ? "Creating…" : "Create token"}
        </button>
      </div>
    </form>
  );
}

function ShownOnce({ made, onClose }: { made: CreatedKey; onClose: () => void }): JSX.Element {
  return (
    <>
      <p class="token-once">
        <Warning /> Copy it now. It is not shown again, and nobody can look it up.
      </p>
      <div class="command token-secret">
        <code>{made.key}</code>
        <button type="button" class="button is-primary" onClick={() => void copyText(made.key, "Token")}>
          Copy
        </button>
      </div>
      <p class="dim">
        <span class="captured">{made.name}</span>, {expiryWords(made.expires_at, Date.now()).words}. Send it
        as <code>Authorization: Bearer</code>.
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </>
  );
}
