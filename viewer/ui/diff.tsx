import type { JSX } from "preact";
import { block } from "./text.ts";

/** Where two texts begin and end alike, by code units: what lies between differs. */
function differing(a: string, b: string): { head: number; tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

function Side({ text, other }: { text: string; other: string }): JSX.Element {
  const { head, tail } = differing(text, other);
  const isMarked = text !== other && head + tail > 0;
  if (!isMarked) return <pre class="captured">{text}</pre>;
  return (
    <pre class="captured">
      {text.slice(0, head)}
      <mark>{text.slice(head, text.length - tail)}</mark>
      {text.slice(text.length - tail)}
    </pre>
  );
}

interface ExpectedReceivedProps {
  expected?: string | undefined;
  received?: string | undefined;
  max?: number;
  labels?: { before: string; after: string };
}

/** What was wanted above what came, the difference marked. */
export function ExpectedReceived({
  expected,
  received,
  max = 4000,
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
            <Side text={wanted} other={came} />
          </dd>
        </div>
      )}
      {received !== undefined && (
        <div class="expected-row is-received">
          <dt>{labels.after}</dt>
          <dd>
            <Side text={came} other={wanted} />
          </dd>
        </div>
      )}
    </dl>
  );
}
