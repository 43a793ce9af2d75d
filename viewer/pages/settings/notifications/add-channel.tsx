import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../../api/request.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { copyText } from "../../../ui/toast.tsx";
import { type ChannelType, type CreatedChannel, type NewChannel, notificationsApi } from "./api.ts";
import { TYPES } from "./words.ts";

function Secret({ secret, onClose }: { secret: string; onClose: () => void }): JSX.Element {
  return (
    <div class="settings-form">
      <p>
        Messages are signed with this secret (Standard Webhooks). It is shown now and never again: keep it
        where the receiver finds it.
      </p>
      <div class="command">
        <code>{secret}</code>
        <button type="button" class="button" onClick={() => copyText(secret, "Secret")}>
          Copy
        </button>
      </div>
      <div class="dialog-foot">
        <button type="button" class="button is-primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}

/** Makes a channel, and shows the secret of one that is signed. */
export function AddChannel({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }): JSX.Element {
  const [type, setType] = useState<ChannelType>("webhook");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [made, setMade] = useState<CreatedChannel | null>(null);

  async function create(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form);
    const text = (name: string): string => String(given.get(name) ?? "").trim();
    const target = Object.fromEntries(TYPES[type].fields.map(({ name }) => [name, text(name)]));
    setBusy(true);
    setProblem(null);
    try {
      const channel = await notificationsApi.create({ type, name: text("name"), ...target } as NewChannel);
      onAdded();
      if (channel.secret === undefined) onClose();
      else setMade(channel);
    } catch (error) {
      setProblem(errorText(error));
    }
    setBusy(false);
  }

  if (made?.secret !== undefined)
    return (
      <Dialog title={`${made.name} is made`} onClose={onClose} width="560px">
        <Secret secret={made.secret} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title="Add a channel" onClose={onClose}>
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void create(event.currentTarget);
        }}
      >
        <label>
          Kind
          <select
            class="select"
            value={type}
            onChange={(event) => setType(event.currentTarget.value as ChannelType)}
            autofocus
          >
            {Object.entries(TYPES).map(([value, { word }]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <label>
          Name
          <input
            class="input"
            name="name"
            required
            maxLength={100}
            autocomplete="off"
            placeholder="On call"
          />
        </label>
        {TYPES[type].fields.map((field) => (
          <label key={`${type} ${field.name}`}>
            {field.label}
            {/* The types of JSX take one literal at a time. */}
            <input class="input" name={field.name} type={field.type as "text"} required autocomplete="off" />
          </label>
        ))}
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
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
