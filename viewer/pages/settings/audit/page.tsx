import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AuditEntry } from "../../../../server/identity/audit-events/model.ts";
import { api } from "../../../api/calls.ts";
import { query, setQuery } from "../../../router.ts";
import { tellFailure, useSignIn } from "../../../ui/failing.ts";
import { Download } from "../../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../../ui/message.tsx";
import { SettingsPage } from "../../../ui/settings-page.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { tokensApi } from "../tokens/api.ts";
import { type AuditFilter, auditApi, FILTERS } from "./api.ts";
import { AuditEntries } from "./entries.tsx";
import { ChainState } from "./state.tsx";

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** What the reader, the tokens there are and their makers are called. */
async function namesOfActors(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const [{ user }, keys] = await Promise.all([api.me(signal), tokensApi.list(signal)]);
  return new Map([
    ...keys.flatMap(({ id, name, made_by: maker }): [string, string][] => [
      [id, name],
      ...(maker ? [[maker.id, maker.name] as [string, string]] : []),
    ]),
    ...(user ? [[user.id, `${user.name} (you)`] as [string, string]] : []),
  ]);
}

const readFilter = (search: URLSearchParams): AuditFilter =>
  Object.fromEntries(FILTERS.map((name) => [name, search.get(name) ?? ""])) as unknown as AuditFilter;

/** Who did what in the organisation: the chain's state, filters, entries, export. */
export function AuditLogPage(): JSX.Element {
  const filter = readFilter(query.value);
  const key = JSON.stringify(filter);
  const { data, error } = useLoad(`audit ${key}`, (signal) => auditApi.list(filter, null, signal));
  useSignIn(error);
  const { data: names } = useLoad("audit names", (signal) => namesOfActors(signal));
  const isFiltered = Object.values(filter).some((value) => value !== "");
  return (
    <SettingsPage title="Audit log" isLoading={!data && !error}>
      <ChainState />
      <Filters filter={filter} isFiltered={isFiltered} />
      {data ? (
        data.items.length > 0 ? (
          <Pages
            key={key}
            filter={filter}
            first={data.items}
            cursor={data.next_cursor}
            names={names ?? NO_NAMES}
          />
        ) : (
          <Message title={isFiltered ? "No entry fits these filters" : "Nothing was done yet"}>
            {isFiltered
              ? "Actor and target are whole ids or names; an action is like trace.delete, or trace.* for all of a noun."
              : "Every sensitive act is written here as it is done."}
          </Message>
        )
      ) : error ? (
        <Failed error={error} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}

const ACTION = "[a-z_]+\\.([a-z_]+|\\*)";
const WORDS = {
  action: { label: "Action", placeholder: "trace.delete or trace.*" },
  actor: { label: "Actor", placeholder: "Id" },
  target: { label: "Target", placeholder: "Id or name" },
};

function Filters({ filter, isFiltered }: { filter: AuditFilter; isFiltered: boolean }): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  // What the address says, also after a way back. The fields stay, and with them the focus.
  useEffect(() => {
    for (const name of FILTERS) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = filter[name];
    }
  }, [JSON.stringify(filter)]);
  const clear = (): void => {
    setQuery(Object.fromEntries(FILTERS.map((name) => [name, null])));
    // The button goes with what it clears.
    form.current?.querySelector("input")?.focus();
  };
  return (
    <form
      ref={form}
      class="audit-filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        setQuery(Object.fromEntries(FILTERS.map((name) => [name, String(given.get(name) ?? "").trim()])));
      }}
    >
      {(["action", "actor", "target"] as const).map((name) => (
        <label key={name}>
          {WORDS[name].label}
          <input
            class="input"
            name={name}
            placeholder={WORDS[name].placeholder}
            defaultValue={filter[name]}
            pattern={name === "action" ? ACTION : undefined}
            maxLength={200}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
      ))}
      {(["from", "to"] as const).map((name) => (
        <label key={name}>
          {name === "from" ? "From" : "To"}
          <input class="input" name={name} type="date" defaultValue={filter[name]} />
        </label>
      ))}
      <div class="audit-buttons">
        <button type="submit" class="button is-primary">
          Filter
        </button>
        {isFiltered && (
          <button type="button" class="button" onClick={clear}>
            Clear
          </button>
        )}
        <span class="audit-export">
          {(["csv", "ndjson"] as const).map((format) => (
            <a key={format} class="button" href={auditApi.exportUrl(filter, format)} download data-native>
              <Download /> {format === "csv" ? "CSV" : "NDJSON"}
            </a>
          ))}
        </span>
      </div>
    </form>
  );
}

function Pages({
  filter,
  first,
  cursor,
  names,
}: {
  filter: AuditFilter;
  first: readonly AuditEntry[];
  cursor: string | null;
  names: ReadonlyMap<string, string>;
}): JSX.Element {
  const [more, setMore] = useState<{ entries: readonly AuditEntry[]; cursor: string | null }>({
    entries: [],
    cursor,
  });
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setMore({ entries: [], cursor }), [first]);
  async function loadMore(): Promise<void> {
    setBusy(true);
    try {
      const page = await auditApi.list(filter, more.cursor);
      setMore({ entries: [...more.entries, ...page.items], cursor: page.next_cursor });
    } catch (error) {
      tellFailure(error);
    }
    setBusy(false);
  }
  return (
    <>
      <AuditEntries entries={[...first, ...more.entries]} names={names} />
      {more.cursor && (
        <p class="audit-more">
          <button type="button" class="button" disabled={isBusy} onClick={() => void loadMore()}>
            {isBusy ? "Loading…" : "Older entries"}
          </button>
        </p>
      )}
    </>
  );
}
