import type { JSX } from "preact";
import { block } from "./text.ts";

/** What a side holds where there is room for few lines only, and how much of it stands before the difference. */
const FEW_CHARACTERS = 160;
const FEW_LINES = 2;
const LEAD = 48;

/** Where two texts begin and end alike, by code units: what lies between differs. */
function differing(a: string, b: string): { head: number; tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** Whether a value takes more room than a few lines have. */
export function isLongValue(text: string | undefined): boolean {
  return text !== undefined && (text.length > FEW_CHARACTERS || text.split("\n").length > FEW_LINES);
}

/** Which part of a long text is shown in few lines: where it differs, and a little before. */
function fewLines(text: string, head: number): { from: number; to: number } {
  if (!isLongValue(text)) return { from: 0, to: text.length };
  const before = text.slice(0, Math.min(head, text.length));
  const line = before.lastIndexOf("\n") + 1;
  const from = Math.max(line, before.length - LEAD, 0);
  const lines = text.slice(from, from + FEW_CHARACTERS).split("\n");
  return { from, to: from + lines.slice(0, FEW_LINES).join("\n").length };
}

function Side({ text, other, isShort }: { text: string; other: string; isShort: boolean }): JSX.Element {
  const { head, tail } = differing(text, other);
  const { from, to } = isShort ? fewLines(text, head) : { from: 0, to: text.length };
  const part = (start: number, end: number): string => text.slice(Math.max(from, start), Math.min(to, end));
  const isMarked = text !== other && head + tail > 0;
  return (
    <pre class="captured">
      {from > 0 && "…"}
      {isMarked ? (
        <>
          {part(0, head)}
          <mark>{part(head, text.length - tail)}</mark>
          {part(text.length - tail, text.length)}
        </>
      ) : (
        part(0, text.length)
      )}
      {to < text.length && "…"}
    </pre>
  );
}

interface ExpectedReceivedProps {
  expected?: string | undefined;
  received?: string | undefined;
  max?: number;
  /** Of a long value only the lines where it differs. */
  isShort?: boolean;
  labels?: { before: string; after: string };
}

/** What was wanted above what came, the difference marked. */
export function ExpectedReceived({
  expected,
  received,
  max = 4000,
  isShort = false,
  labels = { before: "Expected", after: "Received" },
}: ExpectedReceivedProps): JSX.Element | null {
  if (expected === undefined && received === undefined) return null;
  const wanted = block(expected ?? "", max);
  const came = block(received ?? "", max);
  return (
    <dl class="expected">
      {expected !== undefined && (
        <div class="expected-row is-wanted">
          <dt>{labels.before}</dt>
          <dd>
            <Side text={wanted} other={came} isShort={isShort} />
          </dd>
        </div>
      )}
      {received !== undefined && (
        <div class="expected-row is-received">
          <dt>{labels.after}</dt>
          <dd>
            <Side text={came} other={wanted} isShort={isShort} />
          </dd>
        </div>
      )}
    </dl>
  );
}
