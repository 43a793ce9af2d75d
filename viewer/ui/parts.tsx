import type { ComponentChildren, JSX } from "preact";
import { numberIn, type StackFrame } from "../../server/trace/format/event.ts";
import { Copy } from "./icons.tsx";
import { block, oneLine } from "./text.ts";
import { copyText } from "./toast.tsx";

export function Section({
  title,
  children,
  aside,
}: {
  title: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Copy ${what.toLowerCase()}`}
      title={`Copy ${what.toLowerCase()}`}
      onClick={() => void copyText(text, what)}
    >
      <Copy />
    </button>
  );
}

/** Name and value lines. Values are captured text or ready elements. */
export function Facts({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="pairs">
      {rows.map(([name, value], index) => (
        <div key={index}>
          <dt class="captured">{oneLine(name, 200)}</dt>
          <dd class="captured">{typeof value === "string" ? block(value, 4000) : value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type Frame = StackFrame;

/** Frames of a recorded stack: only what has the shape of one. */
export function framesOf(value: unknown): Frame[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 50).flatMap((frame: unknown): Frame[] => {
    if (!frame || typeof frame !== "object" || !("file" in frame) || typeof frame.file !== "string")
      return [];
    const line = "line" in frame ? numberIn(frame.line) || 0 : 0;
    const column = "column" in frame ? numberIn(frame.column) || 0 : 0;
    const name = "function" in frame && typeof frame.function === "string" ? frame.function : "";
    const source = "source" in frame && typeof frame.source === "string" ? frame.source : "";
    return [
      { file: frame.file, line, column, ...(name ? { function: name } : {}), ...(source ? { source } : {}) },
    ];
  });
}
