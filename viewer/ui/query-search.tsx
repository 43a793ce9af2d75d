import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { query, setQuery } from "../router.ts";
import { Search } from "./icons.tsx";
import { useKeys } from "./keyboard.ts";

const TYPING_MS = 200;

/** A search field whose text is `q` of the address. */
export function QuerySearch({ label, hint }: { label: string; hint: string }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const q = query.value.get("q") ?? "";
  useLayoutEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = q;
  }, [q]);
  useEffect(() => () => void (timer.current && clearTimeout(timer.current)), []);
  useKeys([
    {
      keys: ["/"],
      label: "Search",
      group: "List",
      run: () => {
        field.current?.focus();
        field.current?.select();
        return true;
      },
    },
  ]);
  return (
    <div class="search">
      <Search />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={hint}
        defaultValue={q}
        maxLength={200}
        spellcheck={false}
        onInput={(event) => {
          const text = event.currentTarget.value.trim();
          if (timer.current) clearTimeout(timer.current);
          timer.current = setTimeout(() => setQuery({ q: text }, { replace: true }), TYPING_MS);
        }}
      />
    </div>
  );
}
