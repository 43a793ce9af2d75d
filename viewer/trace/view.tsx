import type { JSX } from "preact";
import type { Sharing } from "../api/trace-source.ts";
import { isNarrow } from "../ui/media.ts";
import { Failed, Loading } from "../ui/message.tsx";
import { OldStrip } from "../ui/old.tsx";
import { Split } from "../ui/split.tsx";
import { Banners, Unready } from "./banner.tsx";
import { Find, StepColumn } from "./find/find.tsx";
import { TraceHeader } from "./header.tsx";
import { useTraceKeys } from "./keys.ts";
import { shownDock } from "./model/dock.ts";
import { useFindAddress } from "./model/find.ts";
import { useModel } from "./model/model.ts";
import { NarrowView } from "./narrow.tsx";
import { Panels } from "./panels/panels.tsx";
import { Stage } from "./stage/stage.tsx";
import { Timeline } from "./timeline/timeline.tsx";

function Workbench(): JSX.Element {
  const isRight = shownDock() === "right";
  return (
    <Split
      id="steps"
      label="Width of the step list"
      direction="row"
      fixed="start"
      initial={304}
      min={160}
      rest={320}
      start={<StepColumn />}
      end={
        <Split
          key={isRight ? "right" : "bottom"}
          id={isRight ? "panels-right" : "panels-bottom"}
          label="Size of the panels"
          direction={isRight ? "row" : "column"}
          fixed="end"
          initial={isRight ? 496 : 300}
          min={isRight ? 280 : 120}
          rest={isRight ? 280 : 160}
          start={<Stage />}
          end={<Panels />}
        />
      }
    />
  );
}

interface TraceViewProps {
  sharing: Sharing;
  beside: JSX.Element | null;
}

export function TraceView({ sharing, beside }: TraceViewProps): JSX.Element {
  const model = useModel();
  useTraceKeys(model);
  useFindAddress(model);
  const { loader, summary, detail } = model;
  const body = (): JSX.Element => {
    if (summary.value && (summary.value.event_count > 0 || loader.isLive.value || summary.value.failure)) {
      return (
        <>
          <Timeline />
          {isNarrow.value && <Find />}
          <div class="trace-columns">
            {isNarrow.value ? <NarrowView /> : <Workbench />}
            {beside}
          </div>
        </>
      );
    }
    if (loader.error.value) return <Failed error={loader.error.value} retry={loader.reload} />;
    if (detail.value && (detail.value.status === "queued" || loader.isSettled.value)) return <Unready />;
    return <Loading label="Opening the trace" />;
  };
  return (
    <div class="page trace-page">
      <TraceHeader sharing={sharing} />
      {/* What has ended grows old no more. */}
      {loader.isLive.value && <OldStrip />}
      <Banners />
      <main class="trace-main">
        <h1 class="hidden-text">Trace</h1>
        {body()}
      </main>
    </div>
  );
}
