import type { SeenElement } from "../../page/page-view.ts";
import type { Wanted } from "../../page/wanted.ts";
import { quoted } from "../../words.ts";

/** That what stands there opens a menu, in which the wanted one may be, as a clause; empty where it opens none, or did before. */
export function closedMenu(
  { before, now }: { before: SeenElement; now: SeenElement },
  { name }: Wanted,
): string {
  const opens = (one: SeenElement) => OPENS_MENU.test(one.attributes["aria-haspopup"] ?? "");
  return opens(now) && !opens(before) && now.attributes["aria-expanded"] !== "true"
    ? `, which opens a menu that is closed: ${name === null ? "it" : quoted(name, 60)} may be in it, and is not on the page until then`
    : "";
}

const OPENS_MENU = /^(?:true|menu|listbox|dialog)$/;
