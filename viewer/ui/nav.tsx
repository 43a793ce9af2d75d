import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { NAV_GROUPS, type PageName, type PageRow, pageRows } from "../page-table.ts";
import { navigate, route } from "../router.ts";
import { useCurrentInView } from "./current-in-view.ts";
import { loadProgress, progress } from "./get-started.ts";
import { useKeys } from "./keyboard.ts";

interface Place {
  page: PageName;
  word: string;
  href: string;
  /** After `g`. */
  key: string;
}

/** The places of each group that has any, in the order of the table. */
const GROUPS = NAV_GROUPS.map((group) => ({
  group,
  places: pageRows.flatMap(([page, { nav, paths }]): Place[] =>
    nav?.group === group ? [{ page, word: nav.word, href: paths[0]!, key: nav.key }] : [],
  ),
})).filter(({ places }) => places.length > 0);

const rows = new Map<string, PageRow>(pageRows);

/** Pages that are shown to whoever is not signed in too. */
const PUBLIC: readonly string[] = ["docs", "not-found", "invitation"];

/** The way to the first watched scenario, until it is walked. */
function GetStarted({ here }: { here: string }): JSX.Element | null {
  const isPublic = PUBLIC.includes(here);
  useEffect(() => {
    if (!isPublic) void loadProgress();
  }, [isPublic]);
  if (!progress.value) return null;
  const { done, total } = progress.value;
  return (
    <div class="main-nav-group">
      <a href="/start" class="nav-start" aria-current={here === "start" ? "page" : undefined}>
        Get started{" "}
        <span class="num dim">
          {done}/{total}
        </span>
      </a>
    </div>
  );
}

/** The way between the pages that show more than one trace; `g` and a letter lead there as well. */
export function MainNav(): JSX.Element {
  const { page } = route.value;
  const row = rows.get(page);
  const here = row?.within ?? (row?.settings ? "profile" : page);
  useKeys(
    GROUPS.flatMap(({ places }) => places).map(({ word, href, key }) => ({
      keys: [`g ${key}`],
      label: `Go to ${word.toLowerCase()}`,
      group: "Pages",
      run: () => {
        navigate(href);
        return true;
      },
    })),
  );
  const nav = useRef<HTMLElement>(null);
  useCurrentInView(nav, page);
  return (
    <nav class="main-nav" aria-label="Pages" ref={nav}>
      <GetStarted here={page} />
      {GROUPS.map(({ group, places }) => (
        <div key={group} class="main-nav-group" role="group" aria-label={group}>
          {places.map((place) => (
            <a key={place.page} href={place.href} aria-current={place.page === here ? "page" : undefined}>
              {place.word}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}
