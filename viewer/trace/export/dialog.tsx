import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api } from "../../api/calls.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatBytes, plural } from "../../ui/format.ts";
import { CheckCircle, Download, Warning } from "../../ui/icons.tsx";
import { Failed, Loading } from "../../ui/message.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useModel } from "../model/model.ts";

interface Media {
  bytes: number;
  is_in: boolean;
}

interface Contents {
  size: number;
  has_pages: boolean;
  are_pages_left_out: boolean;
  recording: Media | null;
  video: Media | null;
  left_out: { count: number; bytes: number };
}

/** Bytes; null is what the server takes by itself. */
const LIMITS: { value: number | null; label: string }[] = [
  { value: 10_000_000, label: "10 MB" },
  { value: null, label: "50 MB" },
  { value: 200_000_000, label: "200 MB" },
  { value: 1_000_000_000, label: "1 GB" },
];

interface Line {
  name: string;
  is: "in" | "part" | "out";
  says: string;
}

function mediaLine(name: string, media: Media | null): Line[] {
  if (!media) return [];
  const size = formatBytes(media.bytes);
  return [
    { name, is: media.is_in ? "in" : "out", says: media.is_in ? size : `${size}, left out: too large` },
  ];
}

function linesOf({ has_pages, are_pages_left_out, recording, video, left_out }: Contents): Line[] {
  // Recording and video are among what was left out, and have lines of their own.
  const media = [recording, video].filter((one) => one && !one.is_in) as Media[];
  const count = left_out.count - media.length;
  const bytes = media.reduce((sum, one) => sum - one.bytes, left_out.bytes);
  return [
    { name: "Events, report, prompt", is: "in", says: "all" },
    {
      name: "Pictures and bodies",
      is: count > 0 ? "part" : "in",
      says: count > 0 ? `${plural(count, "large one")} (${formatBytes(bytes)}) left out` : "all",
    },
    ...(has_pages
      ? [
          {
            name: "Recorded pages",
            is: are_pages_left_out ? ("part" as const) : ("in" as const),
            says: are_pages_left_out ? "of the failed step only" : "all",
          },
        ]
      : []),
    ...mediaLine("DOM recording", recording),
    ...mediaLine("Video", video),
  ];
}

/** What one HTML page would hold of this trace, how large it gets, and the way to it. */
export function ExportDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { id } = useModel().source;
  const limit = useSignal<number | null>(null);
  const most = limit.value;
  const { data, error, isLoading } = useLoad<Contents>(`export ${id} ${most}`, (signal) =>
    api.exportPageContents(id, most, signal),
  );
  const contents = isLoading ? null : data;
  return (
    <Dialog title="One HTML page" onClose={onClose}>
      <p class="dim">The trace as a file that opens from a disk, without a server or a network.</p>
      <label class="export-limit">
        At most{" "}
        <select
          class="select"
          value={String(most)}
          onChange={({ currentTarget }) => {
            limit.value = LIMITS[currentTarget.selectedIndex]?.value ?? null;
          }}
        >
          {LIMITS.map(({ value, label }) => (
            <option key={label} value={String(value)}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {error ? (
        <Failed error={error} />
      ) : contents ? (
        <>
          <ul class="export-lines" aria-label="What is in the page">
            {linesOf(contents).map(({ name, is, says }) => (
              <li key={name}>
                {is === "in" ? <CheckCircle class="is-passed" /> : <Warning class="is-warning" />}
                <span>{name}</span>
                <span class="dim num">{says}</span>
              </li>
            ))}
          </ul>
          <div class="dialog-foot">
            <a class="button is-primary" href={api.exportPageUrl(id, most)} download onClick={onClose}>
              <Download /> Download ({formatBytes(contents.size)})
            </a>
          </div>
        </>
      ) : (
        <Loading label="The page is measured" />
      )}
    </Dialog>
  );
}
