import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { parseSearch } from "../../../server/trace/format/search-tokens.ts";
import type { Facets } from "../../api/answers.ts";
import { formatCount } from "../../ui/format.ts";
import { Close, Search } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { clearFilters, searchText, setSearchText, termAtCaret } from "./filters.ts";
import { type Suggestion, type Suggestions, suggest } from "./suggestions.ts";

const TYPING_MS = 200;
const NONE: Suggestions = { start: 0, end: 0, items: [] };

/** What stands in the field, tokens set off: laid under it, letter under letter. */
function Mirror({ text }: { text: string }): JSX.Element {
  const parts: JSX.Element[] = [];
  let at = 0;
  for (const { start, end, token, error } of parseSearch(text, Date.now())) {
    if (start > at) parts.push(<span key={`${at} `}>{text.slice(at, start)}</span>);
    const isWrong = error !== null && text.slice(start, end) !== termAtCaret.value;
    const name = token === null ? "" : isWrong ? "search-token is-wrong" : "search-token";
    parts.push(
      <span key={start} class={name}>
        {text.slice(start, end)}
      </span>,
    );
    at = end;
  }
  return <>{parts}</>;
}

interface SearchFieldProps {
  field: { current: HTMLInputElement | null };
  facets: Facets | null;
}

/** Words and tokens that narrow the list; it writes the address and is written by it. */
export function SearchField({ field, facets }: SearchFieldProps): JSX.Element {
  const typed = useSignal(searchText.peek());
  /** Where offers are wanted; null where they are not. What they are follows the facets, which may come later. */
  const wantedAt = useSignal<{ caret: number; all: boolean } | null>(null);
  /** Text of the chosen offer. */
  const active = useSignal("");
  const mirror = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const written = useRef(searchText.peek());
  const wanted = searchText.value;

  useLayoutEffect(() => {
    // What was typed comes back in another form; the field keeps what the person wrote.
    if (wanted === written.current) return;
    written.current = wanted;
    typed.value = wanted;
  }, [wanted]);
  useEffect(
    () => () => {
      if (timer.current) clearTimeout(timer.current);
    },
    [],
  );

  const scroll = (): void => {
    if (mirror.current && field.current) mirror.current.scrollLeft = field.current.scrollLeft;
  };
  useEffect(scroll);

  const commit = (text: string): void => {
    if (timer.current) clearTimeout(timer.current);
    timer.current = null;
    setSearchText(text, { replace: true });
    written.current = searchText.peek();
  };
  const offers = (): Suggestions => {
    const at = wantedAt.peek();
    return at ? suggest(typed.peek(), at.caret, facets, at) : NONE;
  };
  const lookAtCaret = (all = false): void => {
    const input = field.current;
    const caret = input?.selectionStart ?? 0;
    const term = parseSearch(typed.peek(), Date.now()).find(
      ({ start, end }) => caret > start && caret <= end,
    );
    termAtCaret.value = term ? typed.peek().slice(term.start, term.end) : "";
    wantedAt.value = input && caret === input.selectionEnd ? { caret, all } : null;
    active.value = "";
  };
  const type = (text: string): void => {
    typed.value = text;
    if (timer.current) clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(text), TYPING_MS);
    lookAtCaret();
  };
  const choose = ({ text }: Suggestion): void => {
    const { start, end } = offers();
    const isName = text.endsWith(":");
    const before = typed.peek().slice(0, start) + text + (isName ? "" : " ");
    const after = typed
      .peek()
      .slice(end)
      .replace(/^\s+/, isName ? "$&" : "");
    const input = field.current;
    if (!input) return;
    // The field's own value first, so that the caret has a place to stand.
    input.value = before + after;
    input.setSelectionRange(before.length, before.length);
    input.focus();
    type(before + after);
    if (!isName) commit(before + after);
  };
  const leave = (): void => {
    if (timer.current) commit(typed.peek());
    wantedAt.value = null;
    termAtCaret.value = "";
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const { items } = offers();
    const at = items.findIndex(({ text }) => text === active.peek());
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && items.length > 0) {
      active.value =
        items[(at + step + items.length + (at < 0 && step < 0 ? 1 : 0)) % items.length]?.text ?? "";
    } else if (event.key === "ArrowDown" && typed.peek() === "") {
      lookAtCaret(true);
    } else if (event.key === "ArrowDown") {
      field.current?.blur();
    } else if (event.key === "Enter" || event.key === "Tab") {
      const chosen = items[at];
      if (!chosen && event.key === "Tab") return;
      if (chosen) choose(chosen);
      else {
        commit(typed.peek());
        wantedAt.value = null;
      }
    } else if (event.key === "Escape" && items.length > 0) {
      wantedAt.value = null;
      event.stopPropagation();
    } else {
      return;
    }
    event.preventDefault();
  };

  const isWanted = wantedAt.value !== null;
  const { items } = isWanted ? offers() : NONE;
  const chosenAt = items.findIndex(({ text }) => text === active.value);
  const isOpen = items.length > 0;
  return (
    <div class="search">
      <Search />
      <div class="search-text">
        <div ref={mirror} class="search-mirror" aria-hidden="true">
          <Mirror text={typed.value} />
        </div>
        <input
          ref={field}
          type="text"
          enterkeyhint="search"
          role="combobox"
          aria-label="Search traces"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? "search-suggestions" : undefined}
          aria-activedescendant={chosenAt >= 0 ? `search-suggestion-${chosenAt}` : undefined}
          placeholder={isNarrow.value ? "Search" : "Search, or status:failed step:pay after:7d …   ( / )"}
          value={typed.value}
          maxLength={1000}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onClick={() => lookAtCaret()}
          onScroll={scroll}
          onKeyUp={scroll}
          onBlur={leave}
        />
      </div>
      {typed.value && (
        <button
          type="button"
          class="icon-button"
          aria-label="Clear search"
          onClick={() => {
            typed.value = "";
            clearFilters();
            written.current = "";
            field.current?.focus();
          }}
        >
          <Close />
        </button>
      )}
      {isOpen && (
        <div id="search-suggestions" class="search-suggestions" role="listbox" aria-label="Suggestions">
          {items.map((item, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={item.text}
              id={`search-suggestion-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosenAt}
              class={index === chosenAt ? "row is-active" : "row"}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(item)}
            >
              <code class="ellipsis captured">{item.text}</code>
              <span class="dim ellipsis captured">{item.about}</span>
              {item.count !== undefined && <span class="dim num">{formatCount(item.count)}</span>}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
