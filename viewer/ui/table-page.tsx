import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isWide } from "./media.ts";
import { SiteBar } from "./site-bar.tsx";

interface TablePageProps {
  title: string;
  isLoading: boolean;
  search?: JSX.Element;
  /** What the rows are narrowed and ordered by: in the bar where there is room, else below it. */
  choices: JSX.Element;
  aside?: ComponentChildren;
  /** The table, and what stands above it. */
  children: ComponentChildren;
}

/** A page that is one table. */
export function TablePage({
  title,
  isLoading,
  search,
  choices,
  aside,
  children,
}: TablePageProps): JSX.Element {
  const hasRoom = isWide.value;
  useEffect(() => {
    document.title = `${title} · Tracedeck`;
  }, [title]);
  return (
    <div class="page">
      <SiteBar aside={aside}>
        {hasRoom ? (
          <>
            {search}
            {choices}
          </>
        ) : (
          search
        )}
      </SiteBar>
      <main class="list-main" aria-busy={isLoading}>
        <h1 class="hidden-text">{title}</h1>
        {!hasRoom && <div class="subbar">{choices}</div>}
        {children}
      </main>
    </div>
  );
}
