import type { JSX } from "preact";
import { isNarrow } from "../../ui/media.ts";
import { SiteBar } from "../../ui/site-bar.tsx";
import { type DocsDocument, type DocsEntry, TEXT_ID } from "./document.ts";

interface DocsViewProps {
  shown: DocsDocument;
  /** Works with a script only. */
  search?: JSX.Element;
}

/** Topics at the left, the text, and the headings of the text where there is room. */
export function DocsView({ shown, search }: DocsViewProps): JSX.Element {
  const { path, title, headings, html } = shown;
  return (
    <div class="page docs-page">
      <SiteBar>
        <div class="docs-search-place">{search}</div>
      </SiteBar>
      <div class="docs">
        <details class="docs-topics" open={!isNarrow.value}>
          <summary>Topics</summary>
          <Topics entries={shown.entries} path={path} />
        </details>
        <main class="docs-main" id="docs-main" tabIndex={-1}>
          <article class="docs-article">
            <h1>{title}</h1>
            <div id={TEXT_ID} class="docs-text" dangerouslySetInnerHTML={{ __html: html }} />
          </article>
        </main>
        {headings.length > 1 && (
          <nav class="docs-headings" aria-label="On this page">
            <p class="dim">On this page</p>
            <ul>
              {headings
                .filter(({ depth }) => depth < 4)
                .map(({ id, text, depth }) => (
                  <li key={id} class={depth > 2 ? "is-deep" : undefined}>
                    <a href={`#${id}`}>{text}</a>
                  </li>
                ))}
            </ul>
          </nav>
        )}
      </div>
    </div>
  );
}

function Topics({ entries, path }: { entries: DocsEntry[]; path: string }): JSX.Element {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <nav aria-label="Topics">
      {groups.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {entries
              .filter((entry) => entry.group === group)
              .map((entry) => (
                <li key={entry.path}>
                  <a href={entry.path} aria-current={entry.path === path ? "page" : undefined}>
                    {entry.title}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
