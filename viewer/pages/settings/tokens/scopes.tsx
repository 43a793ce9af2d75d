import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { groupedScopes, scopeWords } from "./words.ts";

/** A choice of scopes, grouped by what they are about; a search narrows what is shown, not what is chosen. */
export function ScopeChoice({
  scopes,
  chosen,
}: {
  /** All that may be given. */
  scopes: readonly string[];
  chosen: Signal<ReadonlySet<string>>;
}): JSX.Element {
  const [search, setSearch] = useState("");
  const groups = groupedScopes(scopes, search);
  const set = (scope: string, isChosen: boolean): void => {
    const next = new Set(chosen.value);
    if (isChosen) next.add(scope);
    else next.delete(scope);
    chosen.value = next;
  };
  return (
    <fieldset class="scopes">
      <legend>
        Scopes <span class="dim num">{chosen.value.size} chosen</span>
      </legend>
      <input
        type="search"
        class="input"
        aria-label="Search scopes"
        placeholder="Search: traces, agents, audit…"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys */}
      <div class="scopes-list" tabIndex={0} role="group" aria-label="Scopes">
        {groups.map(([title, some]) => (
          <div key={title} role="group" aria-label={title}>
            <p class="scopes-title">{title}</p>
            {some.map((scope) => (
              <label key={scope} class="scope">
                <input
                  type="checkbox"
                  checked={chosen.value.has(scope)}
                  onChange={(event) => set(scope, event.currentTarget.checked)}
                />
                <span class="mono">{scope}</span>
                <span class="dim">{scopeWords(scope)}</span>
              </label>
            ))}
          </div>
        ))}
        {groups.length === 0 && <p class="dim scopes-none">No scope has “{search}” in it.</p>}
      </div>
    </fieldset>
  );
}

const DAY_MS = 86_400_000;
const SPANS: readonly [days: string, words: string][] = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
];
const NEVER = "never";

export function ExpiryChoice({ mayBeEndless }: { mayBeEndless: boolean }): JSX.Element {
  return (
    <label>
      Expires after
      <select class="select" name="expires">
        {SPANS.map(([days, words]) => (
          <option key={days} value={days} selected={days === "90"}>
            {words}
          </option>
        ))}
        {mayBeEndless && <option value={NEVER}>It does not expire</option>}
      </select>
    </label>
  );
}

/** What `ExpiryChoice` says in a form: ISO 8601, or null for no end. */
export function chosenExpiry(form: FormData): string | null {
  const value = String(form.get("expires"));
  return value === NEVER ? null : new Date(Date.now() + Number(value) * DAY_MS).toISOString();
}
