import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { CheckCircle, Close, CrossCircle } from "./icons.tsx";

interface Toast {
  id: number;
  text: string;
  isError: boolean;
}

const toasts = signal<Toast[]>([]);
let lastId = 0;
const SHOWN_MS = 4000;

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says something in passing; what stands there already is said anew, not twice. Errors stay until they are closed. */
export function notify(text: string, options: { isError?: boolean } = {}): void {
  lastId += 1;
  const id = lastId;
  const others = toasts.value.filter((toast) => toast.text !== text);
  toasts.value = [...others.slice(-3), { id, text, isError: options.isError ?? false }];
  if (!options.isError) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Where messages in passing stand. There are several such places: they stand in one of them. */
export function Toasts({ isHere }: { isHere: boolean }): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {(isHere ? toasts.value : []).map((toast) => (
        <div key={toast.id} class="toast">
          {toast.isError ? (
            <CrossCircle label="Error" class="is-failed" />
          ) : (
            <CheckCircle class="is-passed" />
          )}
          <span class="captured">{toast.text}</span>
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
            <Close />
          </button>
        </div>
      ))}
    </div>
  );
}

/** Puts text on the clipboard and says so. Plain http pages have no clipboard: then the text is selected in a prompt. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied.`);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    notify(
      isDone ? `${what} copied.` : `This browser does not let the page copy. ${what}: ${text.slice(0, 200)}`,
      {
        isError: !isDone,
      },
    );
  }
}
