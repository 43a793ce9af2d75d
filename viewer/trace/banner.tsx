import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PageMeta } from "../../server/trace/format/page-data.ts";
import { api } from "../api/calls.ts";
import { errorText } from "../api/request.ts";
import { formatBytes, plural } from "../ui/format.ts";
import { Clock, Info, Snow, StopCircle, Warning } from "../ui/icons.tsx";
import { Message } from "../ui/message.tsx";
import { Progress } from "../ui/progress.tsx";
import { block, oneLine } from "../ui/text.ts";
import { notify } from "../ui/toast.tsx";
import { useModel } from "./model/model.ts";

const POLL_MS = 1500;

function Banner({ icon, children }: { icon: JSX.Element; children: ComponentChildren }): JSX.Element {
  return (
    <div class="banner" role="status">
      {icon}
      <div class="banner-text">{children}</div>
    </div>
  );
}

function ColdBanner(): JSX.Element {
  const model = useModel();
  const detail = model.detail.value;
  const isRestoring = useSignal(detail?.restoring ?? false);
  useEffect(() => {
    if (!isRestoring.value || !detail) return;
    const timer = setInterval(async () => {
      try {
        const next = await model.loader.refreshDetail();
        if (next.tier === "cold" && !next.restore_error) return;
        isRestoring.value = false;
        if (next.tier !== "cold") {
          notify("The trace is back.");
          model.loader.reload();
        }
      } catch (error) {
        isRestoring.value = false;
        notify(errorText(error), { isError: true });
      }
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isRestoring.value]);
  const restore = async (): Promise<void> => {
    if (!detail?.id) return;
    try {
      await api.restore(detail.id);
      isRestoring.value = true;
    } catch (error) {
      notify(errorText(error), { isError: true });
    }
  };
  return (
    <Banner icon={<Snow />}>
      <span>
        This trace is in cold storage: the summary and the last screenshot are here, the rest has to be
        fetched.
        {detail?.restore_error && (
          <span class="is-failed captured"> {oneLine(detail.restore_error, 300)}</span>
        )}
      </span>
      {!model.source.isShared && (
        <button type="button" class="button" disabled={isRestoring.value} onClick={() => void restore()}>
          {isRestoring.value ? "Restoring…" : "Restore"}
        </button>
      )}
    </Banner>
  );
}

/** What an exported file lacks of the trace it was made of. */
function LeftOutBanner({ file }: { file: PageMeta }): JSX.Element | null {
  const media = [file.recording, file.video].filter((one) => one !== null && !one.is_in);
  const count = file.left_out.count - media.length;
  const bytes = media.reduce((sum, one) => sum - (one?.bytes ?? 0), file.left_out.bytes);
  const lacks = [
    ...(count > 0
      ? [`${plural(count, "picture or body", "pictures and bodies")} (${formatBytes(bytes)})`]
      : []),
    ...(file.recording && !file.recording.is_in
      ? [`the DOM recording (${formatBytes(file.recording.bytes)})`]
      : []),
    ...(file.video && !file.video.is_in ? [`the video (${formatBytes(file.video.bytes)})`] : []),
    ...(file.are_pages_left_out ? ["the recorded pages of steps that did not fail"] : []),
  ];
  if (lacks.length === 0) return null;
  return <Banner icon={<Info />}>Left out to keep this file small: {lacks.join(", and ")}.</Banner>;
}

/** What the reader must know before trusting what is shown: salvage, abort, cold storage. */
export function Banners(): JSX.Element | null {
  const model = useModel();
  const detail = model.detail.value;
  const areWarningsOpen = useSignal(false);
  if (!detail) return null;
  const warnings = detail.warnings ?? [];
  const hasReason =
    (detail.status === "aborted" || detail.status === "error") && model.summary.value !== null;
  return (
    <>
      {model.source.file && <LeftOutBanner file={model.source.file} />}
      {detail.tier === "cold" && <ColdBanner />}
      {model.summary.value !== null && model.loader.error.value !== null && (
        <Banner icon={<Warning />}>
          What came last could not be read: {errorText(model.loader.error.value)}
        </Banner>
      )}
      {hasReason && (
        <Banner icon={detail.status === "aborted" ? <StopCircle /> : <Warning />}>
          <span class="captured">
            {detail.status === "aborted" ? "The recording broke off. " : "This trace ended in an error. "}
            {oneLine(detail.status_reason ?? "", 400)}
          </span>
        </Banner>
      )}
      {warnings.length > 0 && (
        <Banner icon={<Warning />}>
          <span class="captured">{oneLine(warnings[0], 300)}</span>
          {warnings.length > 1 && (
            <button
              type="button"
              class="link-button"
              aria-expanded={areWarningsOpen.value}
              onClick={() => (areWarningsOpen.value = !areWarningsOpen.value)}
            >
              {areWarningsOpen.value ? "Less" : `and ${plural(warnings.length - 1, "more warning")}`}
            </button>
          )}
          {areWarningsOpen.value && (
            <ul class="banner-list">
              {warnings.slice(1, 50).map((warning, index) => (
                <li key={index} class="captured">
                  {block(warning, 1000)}
                </li>
              ))}
            </ul>
          )}
        </Banner>
      )}
    </>
  );
}

/** In place of the page while there is nothing to show yet, or at all. */
export function Unready(): JSX.Element {
  const detail = useModel().detail.value;
  if (detail?.status === "queued") {
    return (
      <Message icon={<Clock />} title="The trace is stored and is being read.">
        <Progress value={null} label="Reading the trace" />
        <p class="dim">It opens here by itself. Large archives take some seconds.</p>
      </Message>
    );
  }
  if (detail?.status === "error" || detail?.status === "aborted") {
    return (
      <Message
        icon={<Warning />}
        title={
          detail.status === "error"
            ? "This trace could not be read."
            : "The recording broke off before anything arrived."
        }
      >
        <p class="captured">{block(detail.status_reason ?? "", 2000)}</p>
        <p class="dim">What was uploaded is kept; the menu above has it for download.</p>
      </Message>
    );
  }
  return (
    <Message icon={<Info />} title="This trace has no events.">
      <p class="dim">Nothing was recorded, or the recording was empty.</p>
    </Message>
  );
}
