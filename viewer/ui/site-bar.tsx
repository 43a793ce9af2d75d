import type { ComponentChildren, JSX } from "preact";
import { AccountMenu } from "./account-menu.tsx";
import { Mark } from "./brand.tsx";
import { progress } from "./get-started.ts";
import { HelpButton } from "./help-button.tsx";
import { isNarrow } from "./media.ts";
import { AsideLinks, MainNav } from "./nav.tsx";
import { OldStrip } from "./old.tsx";
import { ThemeMenu } from "./theme-menu.tsx";

interface SiteBarProps {
  /** Between the pages' names and the room that is left. */
  children?: ComponentChildren;
  /** Before the menus on the right. */
  aside?: ComponentChildren;
}

/** The bar of a page that shows more than one trace; on narrow screens the pages' names stand below it. */
export function SiteBar({ children, aside }: SiteBarProps): JSX.Element {
  const narrow = isNarrow.value;
  return (
    <>
      <header class="bar list-bar">
        <a class="brand" href="/traces" aria-label="Tracedeck, all traces">
          <Mark />
          {/* Beside the way to the first steps there would be too little room for a search. */}
          {!narrow && !progress.value && <span>Tracedeck</span>}
        </a>
        {!narrow && <MainNav />}
        {children}
        {(!narrow || !children) && <span class="bar-space" />}
        {aside}
        {!narrow && <AsideLinks />}
        <ThemeMenu />
        {!narrow && <HelpButton />}
        <AccountMenu />
      </header>
      {narrow && <MainNav />}
      <OldStrip />
    </>
  );
}
