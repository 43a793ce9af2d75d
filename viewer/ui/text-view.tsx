import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { reveal } from "./text.ts";
import { VirtualList } from "./virtual.tsx";

const MAX_COLUMNS = 1200;
const LINE = 18;

function toLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length <= MAX_COLUMNS) lines.push(line);
    else for (let at = 0; at < line.length; at += MAX_COLUMNS) lines.push(line.slice(at, at + MAX_COLUMNS));
  }
  return lines;
}

/** Captured text of any length: only the lines on screen are in the document; overlong lines are folded. */
export function TextView({ text, label }: { text: string; label: string }): JSX.Element {
  const lines = useMemo(() => toLines(text), [text]);
  const columns = useMemo(() => lines.reduce((widest, line) => Math.max(widest, line.length), 0), [lines]);
  return (
    <VirtualList
      class="text-view mono"
      label={label}
      role="list"
      count={lines.length}
      rowHeight={LINE}
      minWidth={`${columns + 8}ch`}
      row={(index, style) => (
        <div key={index} class="text-line" role="listitem" style={style}>
          <span class="text-number" aria-hidden="true">
            {index + 1}
          </span>
          <span class="captured">{reveal(lines[index] ?? "")}</span>
        </div>
      )}
    />
  );
}
