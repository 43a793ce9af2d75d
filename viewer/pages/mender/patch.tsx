import type { JSX } from "preact";
import { reveal } from "../../ui/text.ts";

const MOST_LINES = 600;
const MAX_LINE = 1000;

const kindOf = (line: string): "removed" | "added" | "gap" | "same" =>
  line.startsWith("@@") ? "gap" : line.startsWith("-") ? "removed" : line.startsWith("+") ? "added" : "same";

const WORD = { removed: "Removed: ", added: "Added: ", gap: "", same: "" };

/** A unified diff, file by file. */
export function Patch({ patch }: { patch: string }): JSX.Element {
  const files = patch.split(/^(?=--- )/m).filter((part) => part.startsWith("--- "));
  return (
    <>
      {files.map((file) => {
        const [, name = "", ...lines] = file.replace(/\n$/, "").split("\n");
        const path = name.replace(/^\+\+\+ (?:b\/)?/, "");
        return (
          <figure key={path} class="line-diff is-change">
            <figcaption class="dim captured mono">{path}</figcaption>
            <ol class="mono" aria-label={`Changes of ${path}`}>
              {lines.slice(0, MOST_LINES).map((line, at) => {
                const kind = kindOf(line);
                return (
                  <li key={at} class={`is-${kind}`}>
                    <span class="sign" aria-hidden="true">
                      {kind === "added" ? "+" : kind === "removed" ? "−" : kind === "gap" ? "⋯" : " "}
                    </span>
                    <span class="hidden-text">{WORD[kind]}</span>
                    <span class="captured">
                      {reveal((kind === "gap" ? line : line.slice(1)).slice(0, MAX_LINE))}
                    </span>
                  </li>
                );
              })}
            </ol>
            {lines.length > MOST_LINES && (
              <p class="notice dim">{lines.length - MOST_LINES} more lines are not shown.</p>
            )}
          </figure>
        );
      })}
    </>
  );
}
