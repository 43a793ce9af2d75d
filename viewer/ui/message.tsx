import type { ComponentChildren, JSX } from "preact";
import { errorText } from "../api/request.ts";
import { CrossCircle } from "./icons.tsx";

interface MessageProps {
  icon?: JSX.Element;
  title: string;
  children?: ComponentChildren;
}

/** A pane that has nothing to list says why, and what to do. */
export function Message({ icon, title, children }: MessageProps): JSX.Element {
  return (
    <div class="message">
      {icon}
      <p class="message-title">{title}</p>
      {children && <div class="message-text">{children}</div>}
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
