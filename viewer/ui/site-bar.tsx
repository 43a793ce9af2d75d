import type { ComponentChildren, JSX } from "preact";
import { AccountMenu } from "./account-menu.tsx";
import { Mark } from "./brand.tsx";
import { Help } from "./icons.tsx";
import { isHelpOpen } from "./keyboard.ts";
import { isNarrow } from "./media.ts";
import { MainNav } from "./nav.tsx";
import { ThemeMenu } from "./theme-menu.tsx";

/** The bar of a page that shows more than one trace. `children` stand between the pages' names and the menus. */
export function SiteBar({ children }: { children?: ComponentChildren }): JSX.Element {
  const narrow = isNarrow.value;
  return (
    <>
      <header class="bar list-bar">
        <a class="brand" href="/traces" aria-label="Tracedeck, all traces">
          <Mark />
          {!narrow && <span>Tracedeck</span>}
        </a>
        {!narrow && <MainNav />}
        {children}
        <span class="bar-space" />
        <ThemeMenu />
        {!narrow && (
          <button
            type="button"
            class="icon-button"
            aria-label="Keyboard help"
            title="Keyboard help ( ? )"
            onClick={() => (isHelpOpen.value = true)}
          >
            <Help />
          </button>
        )}
        <AccountMenu />
      </header>
      {narrow && <MainNav />}
    </>
  );
}
