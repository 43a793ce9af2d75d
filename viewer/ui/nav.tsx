import type { JSX } from "preact";
import { navigate, type Route, route } from "../router.ts";
import { useKeys } from "./keyboard.ts";

interface Place {
  word: string;
  href: string;
  /** After `g`. */
  key: string;
  /** The pages that lie here. */
  pages: readonly Route["page"][];
}

/** What stands beside the list of traces, in this order. */
const PLACES: readonly Place[] = [
  { word: "Traces", href: "/traces", key: "t", pages: ["list"] },
  { word: "Runs", href: "/runs", key: "r", pages: ["runs", "run"] },
  { word: "Failures", href: "/failures", key: "f", pages: ["failures"] },
  { word: "Scenarios", href: "/scenarios", key: "s", pages: ["scenarios", "scenario"] },
  { word: "Storage", href: "/storage", key: "d", pages: ["storage"] },
];

/** The way between the pages that show more than one trace; `g` and a letter lead there as well. */
export function MainNav(): JSX.Element {
  const here = route.value.page;
  useKeys(
    PLACES.map(({ word, href, key }) => ({
      keys: [`g ${key}`],
      label: `Go to ${word.toLowerCase()}`,
      group: "Pages",
      run: () => {
        navigate(href);
        return true;
      },
    })),
  );
  return (
    <nav class="main-nav" aria-label="Pages">
      {PLACES.map(({ word, href, pages }) => (
        <a key={href} href={href} aria-current={pages.includes(here) ? "page" : undefined}>
          {word}
        </a>
      ))}
    </nav>
  );
}
