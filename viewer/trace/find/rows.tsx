import type { CSSProperties, JSX } from "preact";
import { formatCount, formatOffset } from "../../ui/format.ts";
import {
  CheckCircle,
  Document,
  Events,
  type Icon,
  Network,
  Picture,
  Pointer,
  Terminal,
  Thought,
} from "../../ui/icons.tsx";
import { oneLine } from "../../ui/text.ts";
import type { BodyProgress } from "./bodies.ts";
import type { Excerpt } from "./excerpt.ts";
import type { FoundHit, GroupId } from "./groups.ts";
import type { GroupHits } from "./search.ts";

const ICONS: Record<GroupId, Icon> = {
  steps: Pointer,
  assertions: CheckCircle,
  thoughts: Thought,
  network: Network,
  console: Terminal,
  page: Picture,
  other: Events,
  pages: Picture,
  bodies: Document,
};

/** A row of the results: the head of a group, a hit, or the way to more of them. */
export type ResultRow =
  | { type: "head"; group: GroupHits }
  | { type: "hit"; group: GroupHits; hit: FoundHit; index: number }
  | { type: "more"; group: GroupHits };

export function toRows(groups: readonly GroupHits[]): ResultRow[] {
  let index = -1;
  return groups.flatMap((group): ResultRow[] => {
    const rows: ResultRow[] = [{ type: "head", group }];
    for (const hit of group.hits) {
      index += 1;
      rows.push({ type: "hit", group, hit, index });
    }
    if (!group.isComplete) rows.push({ type: "more", group });
    return rows;
  });
}

function Piece({ excerpt }: { excerpt: Excerpt }): JSX.Element {
  return (
    <>
      {excerpt.before}
      {excerpt.match && <mark>{excerpt.match}</mark>}
      {excerpt.after}
    </>
  );
}

export function HeadRow({ group, style }: { group: GroupHits; style: CSSProperties }): JSX.Element {
  return (
    <div class="row find-head" role="presentation" style={style}>
      {group.title}
      <span class="dim num">{formatCount(group.total)}</span>
    </div>
  );
}

/** `12 of 40 pages and 3 of 9 bodies`, as far as there are any. */
function howFar({ pages, bodies }: BodyProgress): string {
  const parts = [
    { ...pages, word: "pages" },
    { ...bodies, word: "bodies" },
  ].filter(({ total }) => total > 0);
  return parts
    .map(({ searched, total, word }) => `${formatCount(searched)} of ${formatCount(total)} ${word}`)
    .join(" and ");
}

export function MoreRow({
  group,
  run,
  style,
}: {
  group: GroupHits;
  run: () => void;
  style: CSSProperties;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
    <div class="row find-more" role="option" tabIndex={-1} aria-selected={false} style={style} onClick={run}>
      {group.progress
        ? `${howFar(group.progress)} searched. Search on`
        : `${formatCount(group.hits.length)} of ${formatCount(group.total)} are listed. Read on`}
    </div>
  );
}

interface HitRowProps {
  row: Extract<ResultRow, { type: "hit" }>;
  count: number;
  isActive: boolean;
  /** When it happened, ms since the trace began. */
  elapsed: number;
  /** Title of the step that the hit lies in. */
  around: string;
  run: () => void;
  style: CSSProperties;
}

export function HitRow({ row, count, isActive, elapsed, around, run, style }: HitRowProps): JSX.Element {
  const { hit, group, index } = row;
  const KindIcon = ICONS[hit.group];
  const { excerpt } = hit;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
    <div
      id={`find-hit-${index}`}
      class={`row find-hit${isActive ? " is-active" : ""}`}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-setsize={count}
      aria-posinset={index + 1}
      style={style}
      onClick={run}
    >
      <KindIcon class="dim" />
      <span class="find-lines">
        <span class="ellipsis captured">
          <span class="hidden-text">{group.title}: </span>
          <Piece excerpt={hit.title} />
        </span>
        <span class="ellipsis dim captured find-where">
          {excerpt ? (
            <>
              <span class="find-field">{oneLine(excerpt.field, 40)}</span> <Piece excerpt={excerpt} />
            </>
          ) : (
            around
          )}
        </span>
      </span>
      <span class="num dim find-time">{formatOffset(elapsed)}</span>
    </div>
  );
}
