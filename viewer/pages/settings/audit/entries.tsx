import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { AuditEntry } from "../../../../server/identity/audit-events/model.ts";
import { formatWall } from "../../../ui/format.ts";
import { ChevronDown, ChevronRight } from "../../../ui/icons.tsx";
import { CopyButton } from "../../../ui/parts.tsx";

const ACTORS: Record<string, string> = {
  api_key: "API key",
  pat: "Personal token",
  svc: "Service token",
  user: "Person",
  session: "Session",
  internal: "Internal",
  org_header: "Proxy",
  system: "Tracedeck",
};

/** What was done, newest first; each opens in full. */
export function AuditEntries({
  entries,
  names,
}: {
  entries: readonly AuditEntry[];
  /** What people and tokens are called, by their ids. */
  names: ReadonlyMap<string, string>;
}): JSX.Element {
  const [opened, setOpened] = useState<number | null>(null);
  return (
    <ul class="audit-list" aria-label="Audit entries">
      {entries.map((entry) => (
        <li key={entry.seq}>
          <button
            type="button"
            class="audit-row"
            aria-expanded={entry.seq === opened}
            onClick={() => setOpened(entry.seq === opened ? null : entry.seq)}
          >
            {entry.seq === opened ? <ChevronDown /> : <ChevronRight />}
            <span class="num audit-when">{formatWall(entry.at)}</span>
            <span class="mono audit-action">{entry.action}</span>
            <span class="ellipsis captured audit-target">{labelOf(entry)}</span>
            <span class="ellipsis dim captured audit-who">{whoIs(entry, names)}</span>
          </button>
          {entry.seq === opened && <Whole entry={entry} />}
        </li>
      ))}
    </ul>
  );
}

const whoIs = ({ actor, ip }: AuditEntry, names: ReadonlyMap<string, string>): string =>
  [names.get(actor.id) ?? ACTORS[actor.type] ?? actor.type, ip].filter(Boolean).join(", ");

/** A name where the entry has one, since nobody knows ids by heart. */
function labelOf({ detail, target }: AuditEntry): string {
  const { name, title, slug } = detail;
  const named = [name, title, slug].find((value) => typeof value === "string" && value !== "");
  return named === undefined ? target : String(named);
}

function Whole({ entry }: { entry: AuditEntry }): JSX.Element {
  const facts: [string, string][] = [
    ["Number", String(entry.seq)],
    ["At", entry.at],
    ["Actor", `${entry.actor.type} ${entry.actor.id}`],
    ["Action", entry.action],
    ["Target", entry.target],
    ["Address", entry.ip ?? "none"],
    ["Hash", entry.hash],
    ["Hash before", entry.prev_hash],
  ];
  return (
    <div class="audit-whole">
      <dl class="settings-facts">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="mono captured">{value}</dd>
          </Fragment>
        ))}
      </dl>
      {Object.keys(entry.detail).length > 0 && (
        <pre class="captured">{JSON.stringify(entry.detail, null, 2)}</pre>
      )}
      <p class="dim">
        <CopyButton text={JSON.stringify(entry)} what="Entry" /> Copy the entry as JSON
      </p>
    </div>
  );
}
