import type { JSX } from "preact";
import { Download } from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { useModel } from "../model/model.ts";

const NAMES = {
  video: "Video",
  playwright: "Playwright archive (trace.zip)",
  rrweb: "DOM recording (rrweb)",
  ndjson: "Events (NDJSON, zstd)",
  summary: "Summary (JSON)",
  report: "Uploaded report (Markdown)",
} as const;

type Kind = keyof typeof NAMES;
const ORDER: Kind[] = ["video", "playwright", "rrweb", "report", "ndjson", "summary"];

/** Links the server signed, followed only within this server or over http(s). */
function linkOf(url: string | undefined): string | null {
  const parsed = url ? URL.parse(url, location.origin) : null;
  return parsed && (parsed.protocol === "http:" || parsed.protocol === "https:") ? parsed.href : null;
}

/** The files that came with the trace. */
export function AttachmentsPanel(): JSX.Element {
  const urls = useModel().detail.value?.signed_urls ?? {};
  const files = ORDER.flatMap((kind) => {
    const href = linkOf(urls[kind]);
    return href ? [{ kind, href }] : [];
  });
  const video = files.find((file) => file.kind === "video");
  if (files.length === 0) return <Message title="No files came with this trace." />;
  return (
    <ScrollPane label="Files" class="padded">
      {video && (
        // biome-ignore lint/a11y/useMediaCaption: a recording of a test run has no speech
        <video class="video" src={video.href} controls preload="metadata" aria-label="Video of the run" />
      )}
      <ul class="files">
        {files.map(({ kind, href }) => (
          <li key={kind}>
            <a href={href} download="">
              <Download /> {NAMES[kind]}
            </a>
          </li>
        ))}
      </ul>
    </ScrollPane>
  );
}
