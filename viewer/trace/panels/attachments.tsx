import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { readText } from "../../api/bodies.ts";
import { Download } from "../../ui/icons.tsx";
import { Failed, Message } from "../../ui/message.tsx";
import { Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { TextView } from "../../ui/text-view.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { firstMatch } from "../find/matcher.ts";
import { createAttachmentRows } from "../model/attachment-rows.ts";
import type { AttachedFile } from "../model/attachments.ts";
import { findState } from "../model/find.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { perModel } from "../model/scope.ts";
import { laidOut } from "./body.tsx";

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
const PICTURE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const TEXT = /^text\/|json|xml|javascript|x-yaml|markdown/;
/** Of a text this much is shown here. */
const PREVIEW = 8_000;
/** Of one that is searched. */
const CAP = 2_000_000;
const MOST_SHOWN = 200;

const panelState = perModel((model: TraceModel) => createAttachmentRows(model.source));

/** Links the server signed, followed only within this server or over http(s). */
function linkOf(url: string | undefined): string | null {
  const parsed = url ? URL.parse(url, location.origin) : null;
  return parsed && (parsed.protocol === "http:" || parsed.protocol === "https:") ? parsed.href : null;
}

function TextPreview({ url, mediaType }: { url: string; mediaType: string }): JSX.Element | null {
  const { data, error } = useLoad(url, (signal) => readText(url, PREVIEW, signal));
  if (error) return <Failed error={error} />;
  if (!data) return null;
  const text = data.isCut ? data.text : laidOut(data.text, mediaType);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
    <pre class="captured attached-text" tabIndex={0}>
      {`${block(text, PREVIEW)}${data.isCut ? "\n…" : ""}`}
    </pre>
  );
}

/** The text that was found in an attachment, in its place. */
function FoundText({ url, sought }: { url: string; sought: string }): JSX.Element | null {
  const { data, error } = useLoad(url, (signal) => readText(url, CAP, signal));
  const hit = useMemo(() => firstMatch(data?.text, sought), [data, sought]);
  if (error) return <Failed error={error} />;
  if (!data) return null;
  return (
    <div class="source-box">
      <TextView text={data.text} label="Attachment" hit={hit} />
    </div>
  );
}

function Attached({ file, stepId }: { file: AttachedFile; stepId: string | null }): JSX.Element {
  const model = useModel();
  const url = file.blob === null ? null : model.source.blobUrl(file.blob);
  const step = stepId === null ? undefined : model.steps.value.byId(stepId);
  const found = findState(model).openBody.value;
  const sought = found !== null && found.reference === file.blob ? found.text : null;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (sought !== null) item.current?.scrollIntoView({ block: "nearest" });
  }, [sought]);
  return (
    <li class="attached" ref={item}>
      <div class="attached-head">
        <span class="ellipsis captured" title={oneLine(file.name, 500)}>
          {oneLine(file.name, 200)}
        </span>
        <span class="dim captured">{oneLine(file.mediaType, 60)}</span>
        {step && (
          <button
            type="button"
            class="link-button"
            title={oneLine(step.title, 200)}
            onClick={() => model.selectStep(step.step_id, { isJump: true })}
          >
            Its step
          </button>
        )}
        {url && (
          <a
            class="icon-link"
            href={url}
            download={file.name.replace(/[^\w.-]+/g, "_").slice(0, 100)}
            title="Download"
          >
            <Download label={`Download ${oneLine(file.name, 100)}`} />
          </a>
        )}
      </div>
      {!url && (
        <p class="dim">
          {file.blob === null
            ? "Its bytes were not recorded"
            : "Its bytes were left out to keep the file small"}
          {file.path && (
            <>
              : they lay at <code class="captured">{oneLine(file.path, 300)}</code>
            </>
          )}
          .
        </p>
      )}
      {url && PICTURE.test(file.mediaType) && (
        <img class="shot" src={url} alt={oneLine(file.name, 100)} loading="lazy" />
      )}
      {url && sought !== null && <FoundText url={url} sought={sought} />}
      {url && sought === null && TEXT.test(file.mediaType) && !PICTURE.test(file.mediaType) && (
        <TextPreview url={url} mediaType={file.mediaType} />
      )}
    </li>
  );
}

/** What steps attached, and the files that came with the trace. */
export function AttachmentsPanel(): JSX.Element {
  const model = useModel();
  const attached = panelState(model);
  const isCold = model.detail.value?.tier === "cold";
  useEffect(() => {
    if (!isCold) attached.ensure();
  }, [model, isCold]);
  const urls = model.detail.value?.signed_urls ?? {};
  const files = ORDER.flatMap((kind) => {
    const href = linkOf(urls[kind]);
    return href ? [{ kind, href }] : [];
  });
  const video = files.find((file) => file.kind === "video");
  const rows = attached.rows.value;
  if (attached.error.value) return <Failed error={attached.error.value} retry={attached.ensure} />;
  if (files.length + rows.length === 0)
    return (
      <Message
        title={
          model.source.file
            ? "No step attached a file. Those of the whole trace stay where it is kept."
            : "No files came with this trace."
        }
      />
    );
  return (
    <ScrollPane label="Files">
      {rows.length > 0 && (
        <Section title={rows.length === 1 ? "Attached" : `Attached (${rows.length})`}>
          <ul class="attached-list">
            {rows.slice(0, MOST_SHOWN).map(({ file, stepId }, index) => (
              <Attached key={index} file={file} stepId={stepId} />
            ))}
          </ul>
          {rows.length > MOST_SHOWN && <p class="dim">{rows.length - MOST_SHOWN} more; see their steps.</p>}
        </Section>
      )}
      {files.length > 0 && (
        <Section title="Of the trace">
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
        </Section>
      )}
    </ScrollPane>
  );
}
