import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Org, orgApi } from "../api/orgs.ts";
import { errorText } from "../api/request.ts";
import { Dialog } from "./dialog.tsx";
import { isDealtWith, tellFailure } from "./failing.ts";
import { forgetProgress } from "./get-started.ts";

/** Has the session stand for another org; every page then shows that one. */
export async function switchOrg(id: string): Promise<void> {
  try {
    await orgApi.switchTo(id);
    forgetProgress();
    location.assign("/traces");
  } catch (error) {
    tellFailure(error);
  }
}

/** The orgs of who is signed in; none where nobody is. */
export async function loadOrgs(): Promise<Org[]> {
  try {
    return (await orgApi.mine()).items;
  } catch {
    // The menu is there without them too.
    return [];
  }
}

const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 64);

export function NewOrgDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const name = useSignal("");
  const slug = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = null;
    try {
      const org = await orgApi.create(slug.value ?? slugOf(name.value), name.value.trim());
      await switchOrg(org.id);
    } catch (error) {
      if (!isDealtWith(error)) problem.value = errorText(error);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title="New organisation" onClose={onClose}>
      <form class="settings-form" onSubmit={(event) => void make(event)}>
        <label class="settings-field">
          <span>Name</span>
          <input
            class="input"
            required
            maxLength={200}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="settings-field">
          <span>Slug: a-z, 0-9 and -</span>
          <input
            class="input"
            required
            pattern="[a-z0-9][a-z0-9\-]{0,63}"
            spellcheck={false}
            value={slug.value ?? slugOf(name.value)}
            onInput={(event) => {
              slug.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="dim">It has traces, members and secrets of its own. You become its owner.</p>
        {problem.value && (
          <p class="is-failed" role="alert">
            {problem.value}
          </p>
        )}
        <div class="settings-actions">
          <button type="submit" class="button is-primary" disabled={isBusy.value}>
            Make
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
