import type { ComponentChildren, JSX } from "preact";
import { ApiError, errorText } from "../api/request.ts";
import { route } from "../router.ts";
import { isFile } from "../where.ts";
import { DOCS_OF_PAGE, docsOfError } from "./docs-places.ts";
import { CrossCircle } from "./icons.tsx";

interface MessageProps {
  icon?: JSX.Element;
  title: string;
  children?: ComponentChildren;
}

/** To the place in the documentation; a file that was handed over has none. */
function DocsLink({ to, children }: { to: string; children: string }): JSX.Element | null {
  if (isFile) return null;
  return (
    // No other page may show the documentation in a frame.
    <a class="message-docs" href={to} target={route.value.page === "embedded" ? "_blank" : undefined}>
      {children}
    </a>
  );
}

/** A pane that has nothing to list says why, and what to do. */
export function Message({ icon, title, children }: MessageProps): JSX.Element {
  return (
    <div class="message">
      {icon}
      <p class="message-title">{title}</p>
      {children && <div class="message-text">{children}</div>}
      <DocsLink to={DOCS_OF_PAGE[route.value.page]}>About this in the docs</DocsLink>
    </div>
  );
}

export function Failed({ error, retry }: { error: unknown; retry?: () => void }): JSX.Element {
  return (
    <div class="message" role="alert">
      <CrossCircle class="is-failed" />
      <p class="message-title captured">{errorText(error)}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
      <DocsLink to={docsOfError(error instanceof ApiError ? error.code : "unreachable")}>
        What this error means
      </DocsLink>
    </div>
  );
}

/** Shown only when the wait is long enough to be noticed (see `.loading` in ui.css). */
export function Loading({ label = "Loading" }: { label?: string }): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {label}…
    </div>
  );
}
