import { batch, computed, signal } from "@preact/signals";
import { type PageName, pageAt } from "./page-table.ts";
import { isFile, isServer } from "./where.ts";

/**
 * Whether the state of the page stands in the fragment of its address: a file has no query that can be changed without
 * loading it anew in every browser.
 */
const isInFragment = isFile;

const shownSearch = (): string =>
  isInFragment ? (location.hash ? `?${location.hash.slice(1)}` : "") : location.search;

/** Where the page is. `entries` counts the navigations made here, so that "back" knows whether there is a way back. */
export const location_ = signal(
  isServer ? { path: "/", search: "" } : { path: location.pathname, search: shownSearch() },
);

/** The query of the address, parsed. */
export const query = computed(() => new URLSearchParams(location_.value.search));

/** The page that is shown, with the values of its path; ids are in lower case. */
export interface Route {
  page: PageName | "not-found";
  params: Readonly<Record<string, string>>;
}

function match(path: string): Route {
  const found = pageAt(path);
  if (!found) return { page: "not-found", params: {} };
  const { id } = found.params;
  return id === undefined ? found : { ...found, params: { ...found.params, id: id.toLowerCase() } };
}

const path = computed(() => location_.value.path);
/** Changes with the path only, so that a page keeps its state while its query changes. */
export const route = computed(() => match(path.value));

function read(): void {
  batch(() => {
    location_.value = { path: location.pathname, search: shownSearch() };
  });
}

/** Goes to a path of this viewer (with its query), as a new entry of the history or in place of the present one. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search + (to.includes("#") ? location.hash : "")) return;
  if (options.replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  read();
}

/** Changes keys of the query and keeps the rest; null or "" removes a key. */
export function setQuery(changes: Record<string, string | null>, options: { replace?: boolean } = {}): void {
  const next = new URLSearchParams(shownSearch());
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(key);
    else next.set(key, value);
  }
  const text = next.toString();
  if (isInFragment) setFragment(text, options);
  else navigate(location.pathname + (text ? `?${text}` : ""), options);
}

function setFragment(text: string, options: { replace?: boolean }): void {
  if (text === location.hash.slice(1)) return;
  if (options.replace) history.replaceState(null, "", `#${text}`);
  else history.pushState(null, "", `#${text}`);
  read();
}

/** To the sign-in page, which leads back here. */
export function goSignIn(): void {
  if (route.peek().page === "signin") return;
  const here = location.pathname + location.search;
  navigate(signinPath(here), { replace: true });
}

/** The sign-in page that leads to a path afterwards. */
export function signinPath(next: string): string {
  return next === "/" || next === "/traces" ? "/signin" : `/signin?next=${encodeURIComponent(next)}`;
}

/** To a path of this server: one of the viewer's, or one that the browser must ask for. */
export function goTo(to: string): void {
  if (match(new URL(to, location.origin).pathname).page === "not-found") location.replace(to);
  else navigate(to, { replace: true });
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** Follows the browser's back and forward, and a changed fragment. */
export function followHistory(): void {
  addEventListener("popstate", read);
}

/** Follows links between the viewer's own pages without loading them anew, and the browser's back and forward. */
export function startRouter(): void {
  followHistory();
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || !isPlainClick(event)) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link?.href || link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || match(url.pathname).page === "not-found") return;
    // A heading of the page that is shown is the browser's to go to.
    if (url.hash !== "" && url.pathname + url.search === location.pathname + location.search) return;
    event.preventDefault();
    navigate(url.pathname + url.search + url.hash);
  });
}
