import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { NAV_GROUPS, type PageName, type PageRow, pageRows } from "../page-table.ts";
import { navigate, route } from "../router.ts";
import { useFitting } from "./fitting.ts";
import { loadProgress, progress } from "./get-started.ts";
import { ChevronDown, Disk, Sliders } from "./icons.tsx";
import { useKeys } from "./keyboard.ts";
import { isNarrow } from "./media.ts";
import { Menu } from "./menu.tsx";

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

/** On wide screens these stand as icons at the bar's end: names of all the pages leave no room beside a search. */
const ASIDE = "Settings";
const ASIDE_ICONS: Partial<Record<PageName, typeof Disk>> = { storage: Disk, profile: Sliders };

const rows = new Map<string, PageRow>(pageRows);

/** Pages that are shown to whoever is not signed in too. */
const PUBLIC: readonly string[] = ["docs", "not-found", "invitation"];

/** The way to the first watched scenario, until it is walked. */
function GetStarted({ here, hasRoom }: { here: string; hasRoom: boolean }): JSX.Element | null {
  const isPublic = PUBLIC.includes(here);
  useEffect(() => {
    if (!isPublic) void loadProgress();
  }, [isPublic]);
  if (!progress.value) return null;
  const { done, total } = progress.value;
  return (
    <div class="main-nav-group" hidden={!hasRoom}>
      <a href="/start" class="nav-start" data-place aria-current={here === "start" ? "page" : undefined}>
        Get started{" "}
        <span class="num dim">
          {done}/{total}
        </span>
      </a>
    </div>
  );
}

/** Where on the navigation a page lies. */
function placeOf(page: string): string {
  const row = rows.get(page);
  return row?.within ?? (row?.settings ? "profile" : page);
}

/** The way to storage and settings, as icons. */
export function AsideLinks(): JSX.Element {
  const here = placeOf(route.value.page);
  const { places } = GROUPS.find(({ group }) => group === ASIDE)!;
  return (
    <nav class="aside-nav" aria-label="Storage and settings">
      {places.map(({ page, word, href, key }) => {
        const Icon = ASIDE_ICONS[page]!;
        return (
          <a
            key={page}
            class="icon-link"
            href={href}
            aria-label={word}
            aria-current={page === here ? "page" : undefined}
            title={`${word} ( g ${key} )`}
          >
            <Icon />
          </a>
        );
      })}
    </nav>
  );
}

/** The way between the pages that show more than one trace; `g` and a letter lead there as well. */
export function MainNav(): JSX.Element {
  const { page } = route.value;
  const here = placeOf(page);
  const shown = isNarrow.value ? GROUPS : GROUPS.filter(({ group }) => group !== ASIDE);
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
  const rest = useRef<HTMLDivElement>(null);
  const places = shown.flatMap((group) => group.places);
  const fitting = useFitting(nav, rest) - (progress.value ? 1 : 0);
  const left = places.slice(Math.max(0, fitting));
  const isShown = (place: Place): boolean => !left.includes(place);
  const hereLeft = left.find((place) => place.page === here);
  return (
    <nav class="main-nav" aria-label="Pages" ref={nav}>
      <GetStarted here={page} hasRoom={fitting >= 0} />
      {shown.map(({ group, places }) => (
        <div
          key={group}
          class="main-nav-group"
          role="group"
          aria-label={group}
          hidden={!places.some(isShown)}
        >
          {places.map((place) => (
            <a
              key={place.page}
              data-place
              href={place.href}
              hidden={!isShown(place)}
              aria-current={place.page === here ? "page" : undefined}
            >
              {place.word}
            </a>
          ))}
        </div>
      ))}
      <div class="main-nav-rest" ref={rest} hidden={left.length === 0}>
        <Menu
          label={hereLeft ? `${hereLeft.word}, and more pages` : "More pages"}
          buttonClass={hereLeft ? "main-nav-more is-here" : "main-nav-more"}
          button={
            <>
              {hereLeft?.word ?? "More"}
              <ChevronDown />
            </>
          }
          items={left.map(({ page, word, href }) => ({ label: word, href, isHere: page === here }))}
        />
      </div>
    </nav>
  );
}
