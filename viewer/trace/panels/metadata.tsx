import type { ComponentChildren, JSX } from "preact";
import { formatBytes, formatCount, formatDuration, formatWall } from "../../ui/format.ts";
import { Loading } from "../../ui/message.tsx";
import { Facts, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { statusWord } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { HistorySection } from "../history/history.tsx";
import { useModel } from "../model/model.ts";

type Row = readonly [string, ComponentChildren];

/** A row, or none when there is nothing to say. */
function row(name: string, value: string | number | null | undefined): Row[] {
  return value === null || value === undefined || value === "" ? [] : [[name, oneLine(String(value), 500)]];
}

const PINNED: Record<string, string> = { true: "yes, kept past its retention", false: "no" };

/** What the trace is, where it ran, what is kept of it and for how long. */
export function MetadataPanel(): JSX.Element {
  const model = useModel();
  const detail = model.detail.value;
  const summary = model.summary.value;
  const { file } = model.source;
  if (!detail || !summary) return <Loading />;
  const environment = Object.entries(summary.environment ?? {});
  const counts = Object.entries(summary.counts).sort(([, a], [, b]) => b - a);
  return (
    <ScrollPane label="Info">
      <Section title="Run">
        <Facts
          rows={[
            ...row("Scenario", detail.scenario_slug),
            ...row("Title", detail.scenario_title),
            ...row("Status", statusWord(detail.status)),
            ...row("Started", detail.started_at && formatWall(detail.started_at)),
            ...row("Ended", detail.ended_at && formatWall(detail.ended_at)),
            ...row("Duration", formatDuration(detail.duration_ms)),
            ...row("Source", detail.source),
            ...row("Commit", detail.code_sha),
            ...row("Pull request", detail.pr_number),
            ...row("Region", detail.region),
            ...row("Run", detail.run_id),
            ...row("Attempt", detail.attempt),
            ...row("Failure signature", detail.failure_signature),
          ]}
        />
      </Section>
      <HistorySection />
      {environment.length > 0 && (
        <Section title="Environment">
          <Facts rows={environment} />
        </Section>
      )}
      <Section title="Storage">
        <Facts
          rows={[
            ...row("Trace", detail.id),
            ...row("Short id", detail.short_id),
            ...row("Uploaded", detail.created_at && formatWall(detail.created_at)),
            // What only members are told is not there on a shared page or in a file.
            ...row(
              "Size",
              detail.total_size_bytes === undefined ? null : formatBytes(detail.total_size_bytes),
            ),
            ...row("Blobs", detail.blob_count === undefined ? null : formatCount(detail.blob_count)),
            ...row("Tier", file ? null : detail.tier),
            ...row("Pinned", PINNED[String(detail.pinned)]),
            ...row("This file was made", file && formatWall(file.exported_at)),
            ...row("Moves on", detail.expires_at && formatWall(detail.expires_at)),
            ...row(
              "Values masked at recording",
              summary.redaction_count > 0 ? summary.redaction_count : null,
            ),
          ]}
        />
      </Section>
      <Section title={`Events (${formatCount(summary.event_count)})`}>
        <Facts rows={counts.map(([kind, count]) => [kind, formatCount(count)])} />
      </Section>
    </ScrollPane>
  );
}
