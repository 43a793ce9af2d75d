import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ExpectedReceived } from "./diff.tsx";
import { lineDiff } from "./line-diff.ts";
import { pretty, reveal } from "./text.ts";

interface ValueDiffProps {
  before: string | undefined;
  after: string | undefined;
  labels: { before: string; after: string };
  /** Whether the second is what should not be, as an expectation has it, or simply the newer. */
  meaning: "expectation" | "change";
}

const MOST_SHOWN = 600;
const MAX_LINE = 1000;
const SIGNS = { same: " ", removed: "−", added: "+", gap: "⋯" };

const isLong = (text: string): boolean => text.length > 120 || text.includes("\n") || pretty(text).json;

/** Two values: short ones above each other, long ones and JSON line by line. */
export function ValueDiff({ before, after, labels, meaning }: ValueDiffProps): JSX.Element | null {
  const isByLine = isLong(before ?? "") || isLong(after ?? "");
  const diff = useMemo(() => (isByLine ? lineDiff(before, after) : null), [isByLine, before, after]);
  if (!diff) return <ExpectedReceived expected={before} received={after} labels={labels} />;
  const isSame = diff.lines.every(({ kind }) => kind === "same" || kind === "gap");
  return (
    <figure class={`line-diff is-${meaning}`}>
      <figcaption class="dim">
        {isSame ? (
          `${labels.before} and ${labels.after.toLowerCase()} ${
            before === after || diff.isCut ? "are the same" : "differ in white space only"
          }.`
        ) : (
          <>
            <span class="is-removed">− {labels.before}</span> <span class="is-added">+ {labels.after}</span>
          </>
        )}
        {diff.isCut && " Only the beginning is compared."}
      </figcaption>
      <ol class="mono" aria-label={`${labels.before} against ${labels.after.toLowerCase()}`}>
        {diff.lines.slice(0, MOST_SHOWN).map(({ kind, text }, index) => (
          <li key={index} class={`is-${kind}`}>
            <span class="sign" aria-hidden="true">
              {SIGNS[kind]}
            </span>
            {kind === "removed" && <span class="hidden-text">{labels.before}: </span>}
            {kind === "added" && <span class="hidden-text">{labels.after}: </span>}
            <span class="captured">{reveal(text.slice(0, MAX_LINE))}</span>
          </li>
        ))}
      </ol>
      {diff.lines.length > MOST_SHOWN && (
        <p class="notice dim">{diff.lines.length - MOST_SHOWN} more lines are not shown.</p>
      )}
    </figure>
  );
}
