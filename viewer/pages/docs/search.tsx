import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getJson } from "../../api/request.ts";
import { DOCS_SEARCH } from "../../page-table.ts";
import { navigate } from "../../router.ts";
import { Search } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import type { DocsSection } from "./document.ts";
import { createDocsIndex, type Found } from "./find.ts";

const LIST_ID = "docs-found";

/** Finds in all topics while one types; what it looks through came with the page. */
export function DocsSearch(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [sections, setSections] = useState<DocsSection[]>([]);
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const index = useMemo(() => createDocsIndex(sections), [sections]);
  const groups = useMemo(() => index(text), [index, text]);
  const found = groups.flatMap((group) => group.found);

  useEffect(() => {
    getJson<DocsSection[]>(DOCS_SEARCH).then(setSections, () => {});
  }, []);
  useEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: "nearest" });
  }, [active, groups]);
  useKeys([
    {
      keys: ["/"],
      label: "Search the documentation",
      group: "Docs",
      run: () => {
        field.current?.focus();
        field.current?.select();
        return true;
      },
    },
  ]);

  function go(to: Found | undefined): void {
    if (!to) return;
    setOpen(false);
    field.current?.blur();
    const [path = "", name = ""] = to.path.split("#");
    // A heading of the page that is shown is the browser's to go to.
    if (location.pathname === path) location.hash = name;
    else navigate(to.path);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      setOpen(true);
      setActive((active + step + found.length) % found.length);
    } else if (event.key === "Enter") go(found[active]);
    else if (event.key === "Escape") {
      if (isOpen && text !== "") setOpen(false);
      else field.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const isShown = isOpen && text.trim() !== "";
  return (
    <div class="search docs-search">
      <Search />
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Search the documentation"
        aria-expanded={isShown && found.length > 0}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={isShown && found.length > 0 ? optionId(active) : undefined}
        placeholder="Search the docs ( / )"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {isShown && (
        <div class="docs-found">
          {found.length === 0 ? (
            <p class="dim docs-none" role="status">
              Nothing in the documentation has these words.
            </p>
          ) : (
            <div id={LIST_ID} role="listbox" aria-label="Found in the documentation">
              {groups.map((group) => (
                <div key={group.title} role="group" aria-label={group.title}>
                  <p class="docs-found-topic" aria-hidden="true">
                    {group.title}
                  </p>
                  {group.found.map((one) => {
                    const at = found.indexOf(one);
                    return (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its keys
                      <div
                        key={one.path}
                        id={optionId(at)}
                        role="option"
                        tabIndex={-1}
                        aria-selected={at === active}
                        class="docs-found-one"
                        // The field keeps the focus, and with it the list.
                        onMouseDown={(event) => event.preventDefault()}
                        onClick={() => go(one)}
                        onMouseMove={() => setActive(at)}
                      >
                        <span class="ellipsis">{one.heading}</span>
                        <span class="dim docs-found-line">
                          {one.line.map((part, place) =>
                            place % 2 === 1 ? <mark key={place}>{part}</mark> : part,
                          )}
                        </span>
                      </div>
                    );
                  })}
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </div>
  );
}

const optionId = (at: number): string => `docs-found-${at}`;
