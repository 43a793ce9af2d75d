/// <reference lib="dom" />
import { record } from "rrweb";
import { followQuietChanges } from "./quiet-changes.ts";
import { isSecretField } from "./secret-fields.ts";

/**
 * Runs in every page of a run (not in its frames), before the page's own code: records its DOM with rrweb and hands the events over in
 * batches. `__tracedeck_binding__` is replaced by the name of the function that takes them, which nobody finds any more when this
 * has taken it. An event of that name on the window hands over at once what there is.
 */
const FLUSH_MS = 100;
const NAME = "__tracedeck_binding__";

// What the page may replace later, above all by a clock of its own.
const later = window.setTimeout.bind(window);
const world = window as unknown as Record<string, ((batch: string) => void) | undefined>;
const take = world[NAME];
delete world[NAME];

function start(take: (batch: string) => void): void {
  let batch: unknown[] = [];
  let isWaiting = false;
  const flush = () => {
    isWaiting = false;
    if (batch.length === 0) return;
    const text = batch.map((event) => JSON.stringify(event)).join("\n");
    batch = [];
    take(text);
  };
  const emit = (event: unknown) => {
    batch.push(event);
    if (isWaiting) return;
    isWaiting = true;
    later(flush, FLUSH_MS);
  };
  record({
    emit,
    maskInputOptions: {
      password: true,
      text: true,
      tel: true,
      number: true,
      email: true,
      search: true,
      textarea: true,
    },
    maskInputFn: maskSecrets,
    inlineStylesheet: true,
    inlineImages: false,
    collectFonts: false,
    recordCanvas: false,
    sampling: { mousemove: 100, scroll: 150, input: "last" },
    slimDOMOptions: { script: true, comment: true, headMetaSocial: true, headMetaRobots: true },
  });
  const changes = followQuietChanges(`${NAME}_changed`, {
    emit,
    mask: maskSecrets,
    later,
    now: Date.now,
  });
  const hasten = () => {
    changes.look();
    flush();
  };
  addEventListener("pagehide", hasten);
  addEventListener(NAME, hasten);
}

/** What passwords, codes and card numbers show; other fields show their value. */
function maskSecrets(value: string, element: HTMLElement): string {
  const { type = "" } = element as HTMLInputElement;
  const isSecret =
    isSecretField(type, element.getAttribute("autocomplete")) ||
    // A password that the page shows for a moment stays one.
    element.hasAttribute("data-rr-is-password");
  return isSecret ? "*".repeat(value.length) : value;
}

const BLANK = /^(?:<html>(?:<head><\/head>)?(?:<body><\/body>)?<\/html>)?$/;
const isBlank = (): boolean =>
  location.href === "about:blank" && BLANK.test(document.documentElement?.outerHTML ?? "");

/** To begin costs as much as a small page does: a page that every run opens and none looks at is recorded when something comes. */
function onceNotBlank(begin: () => void): void {
  if (!isBlank()) {
    begin();
    return;
  }
  const waiting = new MutationObserver(() => {
    if (isBlank()) return;
    waiting.disconnect();
    begin();
  });
  waiting.observe(document, { attributes: true, childList: true, subtree: true });
}

if (take) onceNotBlank(() => start(take));
