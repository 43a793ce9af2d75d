import { effect, signal } from "@preact/signals";
import { recall, remember } from "./storage.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const stored = recall("theme");

/** What the person chose. */
export const theme = signal<Theme>(THEMES.find((name) => name === stored) ?? "system");
/** What is shown; canvases redraw when it changes. */
export const shownTheme = signal<"light" | "dark">("light");

/** Keeps `data-theme` of the document in step with the choice and with the system. Called once, before the first render. */
export function startTheme(): void {
  const darkQuery = matchMedia("(prefers-color-scheme: dark)");
  const systemDark = signal(darkQuery.matches);
  darkQuery.addEventListener("change", (event) => {
    systemDark.value = event.matches;
  });
  effect(() => {
    const dark = theme.value === "dark" || (theme.value === "system" && systemDark.value);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    shownTheme.value = dark ? "dark" : "light";
    remember("theme", theme.value === "system" ? null : theme.value);
  });
}
