import type { ComponentChildren, JSX } from "preact";
import { formatBytes, formatCount } from "../../ui/format.ts";

/** A day of the server (`2026-03-31`, UTC) as a person says it. */
export function formatDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    timeZone: "UTC",
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

export function Section({
  title,
  note,
  children,
}: {
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="storage-part">
      <h2>{title}</h2>
      {note && <p class="dim">{note}</p>}
      {children}
    </section>
  );
}

export interface Share {
  key: string;
  name: ComponentChildren;
  bytes: number;
  count: number;
  more?: string;
}

/** Names with their bytes, each with a bar against the largest. */
export function Shares({ label, what, rows }: { label: string; what: string; rows: Share[] }): JSX.Element {
  const most = Math.max(1, ...rows.map(({ bytes }) => bytes));
  return (
    <table class="storage-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col" class="num">
            {what}
          </th>
          <th scope="col" class="num">
            Size
          </th>
          <th scope="col" class="storage-bar-cell">
            <span class="hidden-text">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, bytes, count, more }) => (
          <tr key={key}>
            <th scope="row" class="captured">
              {name}
              {more && <span class="dim"> · {more}</span>}
            </th>
            <td class="num dim">{formatCount(count)}</td>
            <td class="num">{formatBytes(bytes)}</td>
            <td class="storage-bar-cell">
              {bytes > 0 && <span class="storage-bar" style={{ width: `${(100 * bytes) / most}%` }} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
