import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type PageName, type PageRow, pageRows, SETTINGS_GROUPS } from "../page-table.ts";
import { route } from "../router.ts";
import { isNarrow } from "./media.ts";
import { SiteBar } from "./site-bar.tsx";

interface SettingsPageProps {
  title: string;
  isLoading?: boolean;
  children: ComponentChildren;
}

const GROUPS = SETTINGS_GROUPS.map((group) => ({
  group,
  places: (pageRows as [PageName, PageRow][]).flatMap(([page, { settings, paths }]) =>
    settings?.group === group ? [{ page, word: settings.word, href: paths.at(-1)! }] : [],
  ),
})).filter(({ places }) => places.length > 0);

function SettingsNav(): JSX.Element {
  const { page } = route.value;
  return (
    <nav class="settings-nav" aria-label="Settings">
      {GROUPS.map(({ group, places }) => (
        <div key={group} role="group" aria-label={group}>
          <p class="settings-nav-title" aria-hidden="true">
            {group}
          </p>
          {places.map((place) => (
            <a key={place.page} href={place.href} aria-current={place.page === page ? "page" : undefined}>
              {place.word}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** A page of the settings: beside it, or above it on narrow screens, the way to the others. */
export function SettingsPage({ title, isLoading = false, children }: SettingsPageProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Settings · Tracedeck`;
  }, [title]);
  return (
    <div class="page">
      <SiteBar />
      <div class="settings">
        {isNarrow.value ? (
          <details class="settings-places">
            <summary>All settings</summary>
            <SettingsNav />
          </details>
        ) : (
          <SettingsNav />
        )}
        <main class="settings-main" aria-busy={isLoading}>
          <h1>{title}</h1>
          {children}
        </main>
      </div>
    </div>
  );
}

interface SettingsSectionProps {
  title: string;
  /** What the section is for, in one or two sentences. */
  about?: ComponentChildren;
  children: ComponentChildren;
}

export function SettingsSection({ title, about, children }: SettingsSectionProps): JSX.Element {
  return (
    <section class="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {about && <p class="dim">{about}</p>}
      {children}
    </section>
  );
}
