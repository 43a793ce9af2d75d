import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { setQuery } from "../../router.ts";
import type { Column } from "../../ui/columns.ts";
import { formatAge, formatDuration, formatWall } from "../../ui/format.ts";
import { Message } from "../../ui/message.tsx";
import type { Pages } from "../../ui/pages.ts";
import { PagedTable } from "../../ui/rows-table.tsx";
import { oneLine } from "../../ui/text.ts";
import { WatchFirstIfNew } from "../../ui/watch-first.tsx";
import type { IncidentItem } from "./api.ts";
import { IncidentStatus, regionWord, typeWord } from "./signs.tsx";

/** How long an incident was, or has been going on. */
export const lengthOf = ({ opened_at, resolved_at }: IncidentItem, now: number): string =>
  formatDuration(Math.max(0, (resolved_at === null ? now : Date.parse(resolved_at)) - Date.parse(opened_at)));

const linkTo = (incident: IncidentItem): JSX.Element => (
  <a class="row-link ellipsis captured" href={`/incidents/${incident.id}`}>
    {oneLine(incident.scenario_title || incident.scenario_slug, 200)}
  </a>
);

function Card({ incident, now }: { incident: IncidentItem; now: number }): JSX.Element {
  return (
    <div class="list-two" role="cell">
      <div class="list-two-top">
        <IncidentStatus status={incident.status} />
        {linkTo(incident)}
        <span class="dim" title={formatWall(incident.opened_at)}>
          {formatAge(incident.opened_at, now)}
        </span>
      </div>
      <div class="dim ellipsis captured">
        {incident.headline && `${oneLine(inWords(incident.headline), 200)} · `}
        {typeWord(incident.type)} · {regionWord(incident.region)} · {lengthOf(incident, now)}
      </div>
    </div>
  );
}

const columnsAt = (now: number): Column<IncidentItem>[] => [
  { head: "Status", width: "124px", cell: ({ status }) => <IncidentStatus status={status} /> },
  { head: "Scenario", width: "minmax(140px, 1.4fr)", cellClass: "ellipsis", cell: linkTo },
  {
    head: "Cause",
    width: "minmax(0, 2.4fr)",
    cellClass: "dim ellipsis captured",
    has: ({ headline }) => headline !== null,
    title: ({ headline }) => headline ?? "",
    cell: ({ headline }) => oneLine(inWords(headline ?? ""), 300),
  },
  {
    head: "Rule",
    width: "minmax(100px, 0.8fr)",
    cellClass: "ellipsis",
    title: ({ rules }) => rules.map(typeWord).join(", "),
    cell: ({ type }) => typeWord(type),
  },
  {
    head: "Region",
    width: "minmax(90px, 0.6fr)",
    cellClass: "dim ellipsis captured",
    cell: ({ region }) => regionWord(region),
  },
  {
    head: "Reason",
    width: "minmax(0, 1fr)",
    cellClass: "dim ellipsis captured",
    has: ({ suppress_reason }) => suppress_reason !== null,
    cell: (incident) => suppressWords(incident),
  },
  { head: "Lasted", width: "72px", class: "num", cell: (incident) => lengthOf(incident, now) },
  {
    head: "Age",
    width: "48px",
    class: "num",
    cellClass: "dim",
    title: ({ opened_at }) => formatWall(opened_at),
    cell: ({ opened_at }) => formatAge(opened_at, now),
  },
];

/** Why it is silent, or was. */
export function suppressWords({ suppress_reason }: IncidentItem): string {
  if (suppress_reason === null) return "";
  return suppress_reason === "global_outage" ? "part of an outage" : oneLine(suppress_reason, 300);
}

function Empty({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Message title="No incident is like this.">
        <button
          type="button"
          class="button"
          onClick={() => setQuery({ status: null, type: null, scenario: null })}
        >
          Show all incidents
        </button>
      </Message>
    );
  return (
    <Message title="Nothing has been found broken.">
      <p class="dim">
        An incident opens when scheduled runs of a scenario fail as its alert policy says, and ends by itself
        after two good runs. <a href="/docs/watch#incidents">How that is decided</a>
      </p>
      <WatchFirstIfNew />
    </Message>
  );
}

export function IncidentTable(props: {
  pages: Pages<IncidentItem>;
  active: Signal<number>;
  isFiltered: boolean;
  now: number;
}): JSX.Element {
  return (
    <PagedTable
      label="Incidents"
      class="runs-row"
      columns={columnsAt(props.now)}
      cardHeight={54}
      pages={props.pages}
      active={props.active.value}
      empty={<Empty isFiltered={props.isFiltered} />}
      card={(incident) => <Card incident={incident} now={props.now} />}
    />
  );
}
