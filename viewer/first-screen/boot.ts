/**
 * The one script within a page that comes with its first screen: puts right what only the browser knows before anything
 * is painted, keeps what is pressed meanwhile, and starts the viewer once the screen is out.
 */
import { LAYOUT_COOKIE, NARROW, WIDE } from "../breakpoints.ts";
import { formatAge } from "../ui/format.ts";
import type { EarlyPage } from "./early.ts";

const { style: sheet = "", scripts = "" } = (document.currentScript as HTMLScriptElement).dataset;
const [main = "", ...others] = scripts.split(" ");
const root = document.documentElement;
const app = document.getElementById("app") as HTMLElement;
const YEAR_S = 31_536_000;
/** A tab in the background paints nothing; it must not wait for that. */
const LONGEST_WAIT_MS = 250;

/** As `recall` of the viewer does it. */
function recalled(): Map<string, string> {
  const found = new Map<string, string>();
  try {
    for (const [key, value] of Object.entries(localStorage))
      if (key.startsWith("tracedeck.")) found.set(key.slice("tracedeck.".length), String(value));
  } catch {
    // A browser that refuses storage remembers nothing.
  }
  return found;
}

const kept = recalled();
const isDark =
  kept.get("theme") === "dark" ||
  (kept.get("theme") !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
root.dataset.theme = isDark ? "dark" : "light";
for (const [key, value] of kept) {
  const size = Number.parseFloat(value);
  if (/^split\.[\w-]+$/.test(key) && size > 0)
    root.style.setProperty(`--${key.replace(".", "-")}`, `${size}px`);
}

const dock = kept.get("dock");
const usual = matchMedia(WIDE).matches ? "right" : "bottom";
const layout = matchMedia(NARROW).matches ? "narrow" : dock === "right" || dock === "bottom" ? dock : usual;
const isAsKept = !["lanes-hidden", "idle", "all-steps"].some((key) => kept.has(key));
if (layout !== app.dataset.layout) {
  // The next page is laid out so from the start.
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store needs a secure context and is no sooner
  document.cookie = `${LAYOUT_COOKIE}=${layout};path=/;max-age=${YEAR_S};samesite=lax`;
}
// Better nothing for a moment than something that jumps.
if (layout !== app.dataset.layout || !isAsKept) app.replaceChildren();

// The screen may have been made a while ago.
for (const shown of app.querySelectorAll<HTMLElement>("[data-since]"))
  shown.textContent = formatAge(shown.dataset.since ?? "", Date.now());

/** Lets the rest of the screen follow what is painted first; see `styles/first-paint.css`. */
function complete(): void {
  delete app.dataset.paint;
}
const hasFailed = app.querySelector(".failure") !== null;
// A page that came in slowly is out in part: nothing of that is taken back.
if (hasFailed && performance.getEntriesByType("paint").length === 0) {
  app.dataset.paint = "first";
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(complete)));
}

const early: EarlyPage = { keys: [], click: null, stop: () => {}, dress: () => {} };
function onKey(event: KeyboardEvent): void {
  if (event.altKey || event.key === "Tab" || /^F\d/.test(event.key)) return;
  // With Ctrl or Cmd only what the viewer takes for itself.
  if ((event.ctrlKey || event.metaKey) && !/^[fk]$/i.test(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { key, code, shiftKey, ctrlKey, metaKey } = event;
  early.keys.push({ key, code, shiftKey, ctrlKey, metaKey });
}
function onClick(event: MouseEvent): void {
  if (event.button === 0 && event.isTrusted) early.click = { x: event.clientX, y: event.clientY };
}
addEventListener("keydown", onKey, true);
addEventListener("click", onClick, true);
early.stop = () => {
  removeEventListener("keydown", onKey, true);
  removeEventListener("click", onClick, true);
};
Object.assign(globalThis, { tracedeckEarly: early });

let isStarted = false;
function start(): void {
  if (isStarted) return;
  isStarted = true;
  for (const address of [main, ...others]) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.crossOrigin = "";
    link.href = address;
    document.head.append(link);
  }
  // What the viewer goes on from is the last thing in the page, and may still be on its way.
  const whole =
    document.readyState === "loading" &&
    new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));
  void Promise.all([styled(), whole]).then(run);
}

/**
 * Until all styles are there, not only those that the first screen uses. They count from when the viewer draws: taken in
 * as they come they would have every element styled twice more, and nothing would look otherwise.
 */
function styled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const used = document.querySelector("style");
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = sheet;
  link.media = "not all";
  // What counts for nothing yet would come last.
  link.fetchPriority = "high";
  link.onload = () => {
    early.dress = () => {
      link.media = "all";
      used?.remove();
    };
    resolve();
  };
  link.onerror = () => resolve();
  // Where it would have stood: what comes behind it counts more.
  used?.after(link);
  return promise;
}

function run(): void {
  complete();
  const script = document.createElement("script");
  script.type = "module";
  script.crossOrigin = "";
  script.src = main;
  document.head.append(script);
}

// What is loaded then, and what it computes, would keep the screen from being painted.
if (app.hasChildNodes()) new PerformanceObserver(start).observe({ type: "paint", buffered: true });
else start();
setTimeout(() => {
  complete();
  start();
}, LONGEST_WAIT_MS);
