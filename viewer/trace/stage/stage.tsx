import type { JSX } from "preact";
import { titleInWords } from "../../../server/trace/format/step-words.ts";
import { formatDuration, formatOffset } from "../../ui/format.ts";
import { ChevronLeft, ChevronRight, CrossCircle } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { oneLine } from "../../ui/text.ts";
import { isServer } from "../../where.ts";
import { useModel } from "../model/model.ts";
import type { View } from "../model/views.ts";
import { moveStep, shownPlace, stepNodes } from "../steps/nodes.ts";
import { DomRecording } from "./dom-recording.tsx";
import { FailureBox } from "./failure-box.tsx";
import { PickBar, PickButton } from "./inspect/pick.tsx";
import { canInspect } from "./inspect/state.ts";
import { RecordedPage } from "./recorded-page.tsx";
import { Screenshot } from "./screenshot.tsx";
import { Transport } from "./transport.tsx";
import { Video } from "./video.tsx";
import { ViewSwitch } from "./view-switch.tsx";

function Neighbours(): JSX.Element {
  const model = useModel();
  const count = stepNodes(model).value.length;
  const at = shownPlace(model).value;
  return (
    <span class="neighbours">
      <button
        type="button"
        class="icon-button"
        aria-label="Previous step"
        title="Previous step ( k )"
        disabled={at <= 0}
        onClick={() => moveStep(model, -1)}
      >
        <ChevronLeft />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Next step"
        title="Next step ( j )"
        disabled={at < 0 || at >= count - 1}
        onClick={() => moveStep(model, 1)}
      >
        <ChevronRight />
      </button>
    </span>
  );
}

function StageHead(): JSX.Element {
  const model = useModel();
  const step = model.step.value;
  return (
    <div class="toolbar stage-head">
      <Neighbours />
      <span class="stage-title ellipsis captured" title={step ? oneLine(step.title, 500) : undefined}>
        {step ? titleInWords(oneLine(step.title, 300)) : "No step"}
      </span>
      {step && !isNarrow.value && (
        <span class="dim num stage-time">
          at {formatOffset(model.elapsed(step.ts))} s,{" "}
          {model.isUnderWay(step) ? "under way" : `took ${formatDuration(step.duration_ms)}`}
        </span>
      )}
      {canInspect(model) && <PickButton />}
      <ViewSwitch />
    </div>
  );
}

/** While another step is shown, the failure stays one press away. */
function FailureElsewhere(): JSX.Element | null {
  const model = useModel();
  const failure = model.summary.value?.failure;
  const id = failure?.step_id;
  if (!failure || model.isAtFailure.value || !id || model.step.value?.status === "failed") return null;
  return (
    <button
      type="button"
      class="failure-strip"
      title="Go to the failure"
      onClick={() => model.selectStep(id, { isJump: true })}
    >
      <CrossCircle class="is-failed" />
      <span class="ellipsis captured">
        Failed at “{oneLine(failure.title, 160)}”{failure.message ? `: ${oneLine(failure.message, 200)}` : ""}
      </span>
      <ChevronRight />
    </button>
  );
}

const SHOWN: Record<View, () => JSX.Element> = {
  page: RecordedPage,
  screenshot: Screenshot,
  replay: DomRecording,
  video: Video,
};

/** What a frame or a video tells when it has loaded must find who listens: the viewer makes them itself. */
function NotYet(): JSX.Element {
  return <div class="screen" aria-busy="true" />;
}

/** Where a run is still going on whose page is recorded as it changes: that is given out whole. */
function RecordingLater(): JSX.Element | null {
  const model = useModel();
  const isRecorded = (model.summary.value?.counts["dom.mutation"] ?? 0) > 0;
  if (!model.loader.isLive.value || !isRecorded) return null;
  return <p class="screen-caption dim">The replay of the page comes when the run has ended.</p>;
}

/** The middle of the trace page: what went wrong, and the page as it was then. */
export function Stage(): JSX.Element {
  const model = useModel();
  const view = model.view.value;
  const Selection = isServer && view !== "screenshot" ? NotYet : SHOWN[view];
  return (
    <section class="pane-body stage" aria-label="Step">
      <StageHead />
      <FailureElsewhere />
      <PickBar />
      <div class="stage-body">
        <div class="stage-flow">
          <FailureBox />
          <Selection />
          <RecordingLater />
          {model.views.value.length > 0 && <Transport />}
        </div>
      </div>
    </section>
  );
}
