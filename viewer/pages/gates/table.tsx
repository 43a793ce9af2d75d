import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { oneLine } from "../../ui/text.ts";
import type { PullRequestAnswer } from "./api.ts";
import { GateStatus, shortSha } from "./signs.tsx";

const linkTo = (pull: PullRequestAnswer): JSX.Element => (
  <a class="row-link ellipsis captured" href={`/pull-requests/${pull.id}`}>
    <span class="num dim">#{pull.number}</span> {oneLine(pull.title, 200)}
  </a>
);

/** Open is the rule and says nothing. */
const stateWord = ({ state, is_merged, is_draft }: PullRequestAnswer): string =>
  is_merged ? "merged" : state === "closed" ? "closed" : is_draft ? "draft" : "";

/** What the newest gate found, in a few words. */
export function foundWords({ gate }: PullRequestAnswer): string {
  if (gate === null) return "";
  return gate.decided_by !== null ? `by ${oneLine(gate.decided_by, 100)}` : (gate.reason ?? "");
}

function Card({ pull, now }: { pull: PullRequestAnswer; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <GateStatus gate={pull.gate} />
        {linkTo(pull)}
        <span class="dim" title={formatWall(pull.changed_at)}>
          {formatAge(pull.changed_at, now)}
        </span>
      </div>
      <div class="dim ellipsis captured">
        {[stateWord(pull), oneLine(foundWords(pull), 200), pull.repo].filter(Boolean).join(" · ")}
      </div>
    </div>
  );
}

const columnsAt = (now: number): Column<PullRequestAnswer>[] => [
  { head: "Gate", width: "116px", cell: ({ gate }) => <GateStatus gate={gate} /> },
  { head: "Pull request", width: "minmax(160px, 1.5fr)", cellClass: "ellipsis", cell: linkTo },
  {
    head: "What it found",
    width: "minmax(140px, 1.2fr)",
    cellClass: "dim ellipsis captured",
    title: foundWords,
    cell: (pull) => oneLine(foundWords(pull), 300),
  },
  {
    head: "State",
    width: "64px",
    cellClass: "dim",
    has: (pull) => stateWord(pull) !== "",
    cell: stateWord,
  },
  {
    head: "Author",
    width: "minmax(70px, 0.4fr)",
    cellClass: "dim ellipsis captured",
    has: ({ author }) => author !== null,
    isExtra: true,
    cell: ({ author }) => oneLine(author ?? "", 60),
  },
  {
    head: "Repository",
    width: "minmax(100px, 0.6fr)",
    cellClass: "dim ellipsis captured",
    isExtra: true,
    cell: ({ repo }) => repo,
  },
  {
    head: "Commit",
    width: "72px",
    cellClass: "mono dim",
    isExtra: true,
    title: ({ head_sha }) => head_sha,
    cell: ({ head_sha }) => shortSha(head_sha),
  },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ changed_at }) => formatWall(changed_at),
    cell: ({ changed_at }) => formatAge(changed_at, now),
  },
];

function Empty({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No pull request is like this.">
        <button type="button" class="button" onClick={() => setQuery({ state: null, repo: null })}>
          Show all pull requests
        </button>
      </Message>
    );
  return (
    <Message title="No pull request has been judged yet.">
      <p class="dim">
        A gate runs the scenarios that a pull request concerns against its preview, and says what broke.{" "}
        <a href="/docs/gate">Gate every pull request</a>
      </p>
    </Message>
  );
}

export function PullRequestTable(props: {
  pages: Pages<PullRequestAnswer>;
  active: Signal<number>;
  isFiltered: boolean;
  now: number;
}): JSX.Element {
  return (
    <PagedTable
      label="Pull requests"
      class="runs-row"
      columns={columnsAt(props.now)}
      cardHeight={54}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      card={(pull) => <Card pull={pull} now={props.now} />}
    />
  );
}
