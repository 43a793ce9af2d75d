import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { reveal } from "./text.ts";
import { VirtualList } from "./virtual.tsx";

const MAX_COLUMNS = 1200;
const LINE = 18;

interface Line {
  /** From 1; null for what an overlong line was folded to. */
  number: number | null;
  text: string;
  /** Place of its first character in the whole text. */
  from: number;
}

function toLines(text: string): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (const [index, line] of text.split("\n").entries()) {
    for (let at = 0; at === 0 || at < line.length; at += MAX_COLUMNS)
      lines.push({
        number: at === 0 ? index + 1 : null,
        text: line.slice(at, at + MAX_COLUMNS),
        from: from + at,
      });
    from += line.length + 1;
  }
  return lines;
}

/** The last line that begins at or before a place of the text. */
function lineAt(lines: readonly Line[], place: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.from ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface TextViewProps {
  text: string;
  label: string;
  /** Number of a line to point out and keep in view. */
  mark?: number | null;
  /** A part of the text, by its place and length, to mark and keep in view. */
  hit?: { at: number; length: number } | null;
}

/** What is looked for, brought into view sideways too: the list itself only goes up and down. */
function Marked({ text }: { text: string }): JSX.Element {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => mark.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [text]);
  return <mark ref={mark}>{reveal(text)}</mark>;
}

function Content({ line, hit }: { line: Line; hit: TextViewProps["hit"] }): JSX.Element {
  const from = hit ? Math.max(0, hit.at - line.from) : 0;
  const to = hit ? Math.min(line.text.length, hit.at + hit.length - line.from) : 0;
  if (!hit || to <= from) return <span class="captured">{reveal(line.text)}</span>;
  return (
    <span class="captured">
      {reveal(line.text.slice(0, from))}
      <Marked text={line.text.slice(from, to)} />
      {reveal(line.text.slice(to))}
    </span>
  );
}

/** Captured text of any length: only the lines on screen are in the document; overlong lines are folded. */
export function TextView({ text, label, mark = null, hit = null }: TextViewProps): JSX.Element {
  const lines = useMemo(() => toLines(text), [text]);
  const columns = useMemo(
    () => lines.reduce((widest, line) => Math.max(widest, line.text.length), 0),
    [lines],
  );
  const active = useMemo(() => {
    if (hit) return lineAt(lines, hit.at);
    return mark === null ? -1 : lines.findIndex((line) => line.number === mark);
  }, [lines, mark, hit]);
  return (
    <VirtualList
      class="text-view mono"
      label={label}
      role="list"
      count={lines.length}
      rowHeight={LINE}
      active={active}
      minWidth={`${columns + 8}ch`}
      row={(index, style) => {
        const line = lines[index];
        if (!line) return null;
        const isMeant = mark !== null && line.number === mark;
        return (
          <div
            key={index}
            class={isMeant ? "text-line is-meant" : "text-line"}
            role="listitem"
            aria-current={isMeant || undefined}
            style={style}
          >
            <span class="text-number" aria-hidden="true">
              {line.number ?? ""}
            </span>
            <Content line={line} hit={hit} />
          </div>
        );
      }}
    />
  );
}
