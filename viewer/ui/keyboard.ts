import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface KeyBinding {
  /** `j`, `?`, `ArrowDown`, `g n` (one after the other), `Mod+k` (with Ctrl, on a Mac Cmd). None: in the palette only. */
  keys: string[];
  label: string;
  group: string;
  /** Answers false when it had nothing to do, so that the browser's own meaning holds. */
  run: () => boolean | undefined;
}

const layers: { bindings: KeyBinding[] }[] = [];
/** The bindings of all layers, for the help sheet. */
export const isHelpOpen = signal(false);

export const isMac = /^(Mac|iP)/.test(navigator.platform);

let pending: { key: string; at: number } | null = null;
const SEQUENCE_MS = 1200;

/** Every binding that holds now, innermost layer first. */
export function activeBindings(): KeyBinding[] {
  return layers.toReversed().flatMap((layer) => layer.bindings);
}

/** Inputs that nothing is typed into. */
const TEXTLESS = ["checkbox", "radio", "button", "file", "range"];

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !TEXTLESS.includes(target.type);
}

/** Enter and space belong to a focused control that they act on; arrows to a menu, a tab bar or a slider. */
function belongsToControl(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof Element)) return false;
  // What had the focus in a dialog keeps it until the next frame after that has closed.
  if (target.closest("dialog:not([open])")) return false;
  if (event.key === "Enter" || event.key === " ") {
    return (
      target.closest(
        "button, a, input:not([type=range]), select, summary, [role=tab], [role=menuitem], [role=option]",
      ) !== null
    );
  }
  if (/^(Arrow|Home$|End$|Page)/.test(event.key) && target.matches("input[type=range]")) return true;
  return (
    event.key.startsWith("Arrow") &&
    target.closest("[role=menu], [role=tablist], [role=slider], [role=separator]") !== null
  );
}

function find(chord: string): KeyBinding[] {
  return activeBindings().filter((binding) => binding.keys.includes(chord));
}

function startsSequence(key: string): boolean {
  return activeBindings().some((binding) => binding.keys.some((chord) => chord.startsWith(`${key} `)));
}

function run(bindings: KeyBinding[], event: KeyboardEvent): boolean {
  for (const binding of bindings) {
    if (binding.run() === false) continue;
    event.preventDefault();
    return true;
  }
  return false;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.ctrlKey || event.metaKey) {
    if (!event.shiftKey && event.ctrlKey !== isMac) run(find(`Mod+${event.key.toLowerCase()}`), event);
    return;
  }
  if (isTyping(event.target)) {
    if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
    return;
  }
  const before = pending;
  pending = null;
  if (before && event.timeStamp - before.at < SEQUENCE_MS) {
    if (run(find(`${before.key} ${event.key}`), event)) return;
  }
  if (belongsToControl(event)) return;
  if (run(find(event.key), event)) return;
  // From when it was taken: a page that was busy until now has not shown that it waits for the next one.
  if (startsSequence(event.key)) pending = { key: event.key, at: performance.now() };
}

/** Listens for the keys of whatever page is shown. Called once. */
export function startKeyboard(): void {
  addEventListener("keydown", onKey);
}

/** Adds bindings while the component is shown. Inner components win over outer ones. */
export function useKeys(bindings: KeyBinding[]): void {
  const layer = useRef<{ bindings: KeyBinding[] }>({ bindings });
  layer.current.bindings = bindings;
  // Before the page can be seen, and a key be meant for it.
  useLayoutEffect(() => {
    const own = layer.current;
    layers.push(own);
    return () => {
      layers.splice(layers.indexOf(own), 1);
    };
  }, []);
}
