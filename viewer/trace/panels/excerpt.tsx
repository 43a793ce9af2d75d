import type { JSX } from "preact";
import { reveal } from "../../ui/text.ts";

/** Lines of source before the place that is meant, and as many after it. */
export const AROUND = 4;
const MAX_LINE = 400;

/** A line of a file, counted from 1. */
export interface SourceLine {
  number: number;
  text: string;
}

/** Some lines of a file, of which one is meant. */
export function Excerpt({ lines, meant }: { lines: readonly SourceLine[]; meant: number }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
    <ol class="excerpt mono" aria-label="The lines around it" tabIndex={0}>
      {lines.map(({ number, text }) => {
        const isMeant = number === meant;
        return (
          <li key={number} class={isMeant ? "is-meant" : undefined} aria-current={isMeant || undefined}>
            <span class="text-number" aria-hidden="true">
              {number}
            </span>
            <span class="captured">{reveal(text.slice(0, MAX_LINE))}</span>
          </li>
        );
      })}
    </ol>
  );
}
