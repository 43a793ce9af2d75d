import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { readSearch, writeSearch } from "../../../server/trace/format/search-tokens.ts";
import type { SavedSearch } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { tellFailure } from "../../ui/failing.ts";
import { More } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { Menu } from "../../ui/menu.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { isFiltered, searchText, setSearchText } from "./filters.ts";

const saved = signal<readonly SavedSearch[]>([]);
/** What is asked a name for: a new search, or one that gets another. */
const naming = signal<{ query: string; renamed: SavedSearch | null } | null>(null);

let lastAsked = 0;

async function reload(): Promise<void> {
  lastAsked += 1;
  const request = lastAsked;
  const { items } = await api.savedSearches();
  // One that was asked for earlier may come later.
  if (request === lastAsked) saved.value = items;
}

/** Does it and shows how the searches are then; says what went wrong. */
function change(act: () => Promise<unknown>): void {
  act()
    .then(reload)
    .catch((error) => notify(errorText(error), { isError: true }));
}

/** As the field would show it, whoever wrote it. */
const written = (query: string): string => writeSearch(readSearch(query, Date.now()));

function NameDialog({ query, renamed }: { query: string; renamed: SavedSearch | null }): JSX.Element {
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const save = async (name: string): Promise<void> => {
    isBusy.value = true;
    try {
      await (renamed ? api.changeSavedSearch(renamed.id, { name }) : api.saveSearch(name, query));
      await reload();
      naming.value = null;
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      title={renamed ? "Rename the search" : "Save this search"}
      onClose={() => {
        naming.value = null;
      }}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const name = new FormData(event.currentTarget).get("name");
          if (typeof name === "string" && name.trim() !== "") void save(name.trim());
        }}
      >
        <label class="field">
          <span>Name</span>
          <input
            class="input"
            name="name"
            required
            maxLength={100}
            defaultValue={renamed?.name ?? ""}
            aria-invalid={problem.value !== ""}
            aria-describedby={problem.value ? "saved-problem" : undefined}
            autocomplete="off"
          />
        </label>
        {problem.value && (
          <p id="saved-problem" class="is-failed" role="alert">
            {problem.value}
          </p>
        )}
        <p class="dim captured">
          <code>{oneLine(query, 300)}</code>
        </p>
        <p class="dim">Everyone of the organisation sees it.</p>
        <div class="dialog-foot">
          <button type="submit" class="button is-primary" disabled={isBusy.value}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Row({ search, index }: { search: SavedSearch; index: number }): JSX.Element {
  const isOn = written(search.query) === searchText.value;
  const last = saved.value.length - 1;
  const name = oneLine(search.name, 100);
  const move = (by: number) => () => change(() => api.changeSavedSearch(search.id, { position: index + by }));
  return (
    <div class="saved-row">
      <button
        type="button"
        class="facet"
        aria-pressed={isOn}
        title={oneLine(search.query, 400)}
        onClick={() => setSearchText(isOn ? "" : search.query)}
      >
        <span class="ellipsis captured">{name}</span>
      </button>
      <Menu
        label={`Change ${name}`}
        button={<More />}
        items={[
          {
            label: "Rename…",
            run: () => {
              naming.value = { query: search.query, renamed: search };
            },
          },
          ...(index > 0 ? [{ label: "Move up", run: move(-1) }] : []),
          ...(index < last ? [{ label: "Move down", run: move(1) }] : []),
          { label: "Remove", run: () => change(() => api.removeSavedSearch(search.id)) },
        ]}
      />
    </div>
  );
}

/** Searches that the organisation keeps, each one click or one command away, and the way to keep the present one. */
export function SavedSearches(): JSX.Element | null {
  const canSave = isFiltered.value && !saved.value.some(({ query }) => written(query) === searchText.value);
  if (saved.value.length === 0 && !canSave) return null;
  return (
    <section class="facet-group">
      <h2>Saved searches</h2>
      {saved.value.map((search, index) => (
        <Row key={search.id} search={search} index={index} />
      ))}
      {canSave && (
        <button
          type="button"
          class="link-button saved-new"
          onClick={() => {
            naming.value = { query: searchText.peek(), renamed: null };
          }}
        >
          Save this search…
        </button>
      )}
    </section>
  );
}

/** Loads the saved searches, puts them among the commands, and asks for names; shown with the list whatever its size. */
export function SavedSearchCommands(): JSX.Element | null {
  useEffect(() => {
    reload().catch(tellFailure);
  }, []);
  useKeys([
    {
      keys: ["S"],
      label: "Save this search",
      group: "List",
      run: () => {
        if (!isFiltered.peek()) return false;
        naming.value = { query: searchText.peek(), renamed: null };
        return true;
      },
    },
    ...saved.value.map(({ name, query }) => ({
      keys: [],
      label: `Search: ${oneLine(name, 100)}`,
      group: "Saved searches",
      run: () => {
        setSearchText(query);
        return true;
      },
    })),
  ]);
  const asked = naming.value;
  return asked && <NameDialog key={asked.renamed?.id ?? "new"} {...asked} />;
}
