import type { JSX } from "preact";
import type { History } from "../../server/trace/histories/model.ts";
import { formatAgo, percentDigits, plural } from "./format.ts";
import { oneLine } from "./text.ts";
import { useNow } from "./use-now.ts";

type Statistics = History["statistics"];
type Regression = NonNullable<History["regression"]>;

export const percent = (share: number): string => `${percentDigits(share * 100)}%`;

export const FLAKINESS_FORMULA =
  "Of neighbouring runs on the same commit, the share of which one passed and the other failed. " +
  "0% never changes by chance, 100% changes at every run. Runs without a commit, and those that ended in an error of the runner, are left out.";

/** The flakiness in words, for people who wonder what the figure means. */
export function flakinessWords({ flakiness }: Statistics): string {
  if (flakiness.score === null) return `No commit ran twice. ${FLAKINESS_FORMULA}`;
  return `${flakiness.flips} of ${plural(flakiness.pairs, "pair")} differ, ${plural(
    flakiness.flaky_commits,
    "commit",
  )} with both outcomes. ${FLAKINESS_FORMULA}`;
}

/** A commit as people say it, as the link to its trace. */
function CommitLink({ at, here }: { at: Regression["first_red"]; here?: string | undefined }): JSX.Element {
  const now = useNow(false);
  const ago = formatAgo(at.created_at, now);
  if (at.id === here) return <span>this trace</span>;
  return (
    <a href={`/traces/${at.id}`} class="over-row commit-link">
      {at.code_sha === null ? ago : <span class="mono captured">{oneLine(at.code_sha, 40).slice(0, 8)}</span>}
      {at.code_sha !== null && <span class="dim"> {ago}</span>}
    </a>
  );
}

/** Since which commit a scenario fails, and which was the last that passed. `here` is the trace that the page shows. */
export function RegressionLine({ regression, here }: { regression: Regression; here?: string }): JSX.Element {
  const { first_red, last_green } = regression;
  return (
    <span class="regression">
      <span>
        First failed at <CommitLink at={first_red} here={here} />
      </span>
      <span>
        {last_green ? (
          <>
            Last passed at <CommitLink at={last_green} />
          </>
        ) : (
          "Never passed, as far as traces are kept"
        )}
      </span>
    </span>
  );
}
