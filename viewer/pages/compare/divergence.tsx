import type { JSX } from "preact";
import { divergenceWords } from "../../../server/trace/format/diff/words.ts";
import { CheckCircle, ChevronRight, Compare } from "../../ui/icons.tsx";
import { block } from "../../ui/text.ts";
import { goTo, itemId, TABS } from "./address.ts";
import type { Overview } from "./model.ts";

/** Where the two traces part, in words: what whoever compares them wants to know first. */
export function FirstDivergence({ overview, isRaw }: { overview: Overview; isRaw: boolean }): JSX.Element {
  const { first, total } = overview;
  if (!first) {
    const isEmpty = total.same === 0;
    return (
      <div class="compare-verdict is-same" role="status">
        <CheckCircle class="is-passed" />
        <p>
          <strong>{isEmpty ? "There is nothing to compare." : "No differences."}</strong>{" "}
          {isEmpty
            ? "Neither trace has steps, requests, pages or console lines."
            : isRaw
              ? "Both traces did the same, down to the last value."
              : "Both traces did the same; ids, times, ports and query values are not looked at."}
        </p>
      </div>
    );
  }
  const tab = TABS.find(({ id }) => id === first.dimension);
  return (
    <div class="compare-verdict" role="status">
      <Compare />
      <p class="captured">
        <strong>First divergence</strong> <span class="dim">{tab?.title}</span>{" "}
        {block(divergenceWords(first.dimension, first), 800)}
      </p>
      <button
        type="button"
        class="button"
        title="Go to it ( g g )"
        onClick={() => goTo(first.dimension, itemId(first))}
      >
        Show
        <ChevronRight />
      </button>
    </div>
  );
}
