import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { orgApi, type SecretView } from "../../api/orgs.ts";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { isDealtWith } from "../../ui/failing.ts";
import { formatDate } from "../../ui/format.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { Confirm } from "./parts/confirm.tsx";
import { LoadedPage } from "./parts/loaded.tsx";

const SOURCES: Record<SecretView["source"], string> = {
  api: "kept here",
  settings: "settings.json",
  environment: "the server's environment",
};
const NAME = "[A-Za-z_][A-Za-z0-9_]{0,63}";

interface EditProps {
  /** The secret to replace; null for a new one. */
  known: SecretView | null;
  saved: () => void;
  onClose: () => void;
}

function Edit({ known, saved, onClose }: EditProps): JSX.Element {
  const name = useSignal(known?.name ?? "");
  const value = useSignal("");
  const origins = useSignal(known?.origins?.join("\n") ?? "");
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = null;
    try {
      await orgApi.setSecret(name.value, value.value, origins.value.split(/\s+/).filter(Boolean));
      notify(`${name.value} is kept.`);
      saved();
      onClose();
    } catch (error) {
      if (!isDealtWith(error)) problem.value = errorText(error);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={known ? `Replace ${known.name}` : "New secret"} onClose={onClose} width="520px">
      <form class="settings-form" onSubmit={(event) => void save(event)}>
        {!known && (
          <label class="settings-field">
            <span>Name</span>
            <input
              class="input"
              required
              pattern={NAME}
              title="Letters, digits and _, not beginning with a digit; at most 64"
              autoComplete="off"
              spellcheck={false}
              placeholder="SHOP_PASSWORD"
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        <label class="settings-field">
          <span>Value</span>
          <input
            class="input"
            type="password"
            required
            autoComplete="new-password"
            value={value.value}
            onInput={(event) => {
              value.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="settings-field">
          <span>Origins that it may go to, one a line; none for everywhere</span>
          <textarea
            class="input"
            rows={3}
            spellcheck={false}
            placeholder="https://shop.example"
            value={origins.value}
            onInput={(event) => {
              origins.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="dim">The value is encrypted and never shown again.</p>
        {problem.value && (
          <p class="is-failed" role="alert">
            {problem.value}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={isBusy.value}>
            {known ? "Replace" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface TableProps {
  items: SecretView[];
  replace: (secret: SecretView) => void;
  remove: (secret: SecretView) => void;
}

function Table({ items, replace, remove }: TableProps): JSX.Element {
  return (
    <table class="settings-table" aria-label="Secrets">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">May go to</th>
          <th scope="col" class="settings-when">
            Set
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {items.map((secret) => (
          <tr key={secret.name}>
            <th scope="row">
              <code>{secret.name}</code>
              {secret.source !== "api" && <span class="settings-second">from {SOURCES[secret.source]}</span>}
            </th>
            <td class="settings-origins">{secret.origins ? secret.origins.join(", ") : "everywhere"}</td>
            <td class="settings-when">{secret.updated_at ? formatDate(secret.updated_at) : "at start"}</td>
            <td class="settings-acts">
              {secret.source === "api" && (
                <>
                  <button type="button" class="button" onClick={() => replace(secret)}>
                    Replace
                  </button>
                  <button type="button" class="button is-danger" onClick={() => remove(secret)}>
                    Remove
                  </button>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Secrets({ items, changed }: { items: SecretView[]; changed: () => void }): JSX.Element {
  const editing = useSignal<{ known: SecretView | null } | null>(null);
  const leaving = useSignal<SecretView | null>(null);
  const gone = leaving.value;
  return (
    <SettingsSection
      title="What scenarios may know"
      about={
        <>
          Scenarios call them <code>{"${secrets.NAME}"}</code>. Values go in and never come out; in traces
          they are redacted. What settings.json or the server's environment says is changed there, and wins.
        </>
      }
    >
      <p>
        <button
          type="button"
          class="button is-primary"
          onClick={() => {
            editing.value = { known: null };
          }}
        >
          New secret…
        </button>
      </p>
      {items.length === 0 ? (
        <p class="dim">There are none yet.</p>
      ) : (
        <Table
          items={items}
          replace={(known) => {
            editing.value = { known };
          }}
          remove={(secret) => {
            leaving.value = secret;
          }}
        />
      )}
      {editing.value && (
        <Edit
          known={editing.value.known}
          saved={changed}
          onClose={() => {
            editing.value = null;
          }}
        />
      )}
      {gone && (
        <Confirm
          title={`Remove ${gone.name}`}
          word="Remove"
          act={async () => {
            await orgApi.removeSecret(gone.name);
            notify(`${gone.name} is removed.`);
            changed();
          }}
          onClose={() => {
            leaving.value = null;
          }}
        >
          Runs of scenarios that call <code>{`\${secrets.${gone.name}}`}</code> fail from now on.
        </Confirm>
      )}
    </SettingsSection>
  );
}

export function SecretsPage(): JSX.Element {
  const revision = useSignal(0);
  const again = () => void revision.value++;
  const loaded = useLoad("secrets", (signal) => orgApi.secrets(signal), revision.value);
  return (
    <LoadedPage title="Secrets" loaded={loaded} retry={again}>
      {({ items }) => <Secrets items={items} changed={again} />}
    </LoadedPage>
  );
}
