import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { formatBytes, formatDuration, formatOffset } from "../../ui/format.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { Facts, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { Views } from "../../ui/views.tsx";
import { findState } from "../model/find.ts";
import { useModel } from "../model/model.ts";
import type { NetworkRow } from "../model/network.ts";
import { useEvent } from "../model/use-event.ts";
import { BodyView } from "./body.tsx";
import { CopyRequest } from "./copy-request.tsx";
import { Detail } from "./detail.tsx";
import { Frames } from "./frames.tsx";
import { headersOf } from "./headers.ts";

const VIEWS = ["headers", "payload", "response"] as const;
const SOCKET_VIEWS = ["messages", "headers"] as const;
type View = (typeof VIEWS)[number] | (typeof SOCKET_VIEWS)[number];
const NAMES: Record<View, string> = {
  messages: "Messages",
  headers: "Headers",
  payload: "Payload",
  response: "Response",
};

/** The media type that the headers give, for whoever did not record it on its own. */
function mediaTypeOf(event: TraceEvent | null): string {
  if (typeof event?.media_type === "string") return event.media_type;
  return headersOf(event).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
}

const PHASES: Record<string, string> = {
  blocked: "Waiting to be sent",
  dns: "Name looked up",
  connect: "Connecting",
  ssl: "TLS, within connecting",
  send: "Sending",
  wait: "Waiting for the answer",
  receive: "Receiving",
};

/** The phases one after the other on the exchange's own time; what a connection's TLS took is a part of connecting. */
function Phases({ phases }: { phases: readonly (readonly [string, number])[] }): JSX.Element {
  const inRow = phases.filter(([name]) => name !== "ssl");
  const total = inRow.reduce((sum, [, ms]) => sum + ms, 0) || 1;
  let at = 0;
  const starts = new Map(
    inRow.map(([name, ms]) => {
      at += ms;
      return [name, at - ms];
    }),
  );
  return (
    <ul class="phases">
      {phases.map(([name, ms]) => {
        const connected =
          (starts.get("connect") ?? 0) + (phases.find(([one]) => one === "connect")?.[1] ?? 0);
        const start = starts.get(name) ?? Math.max(0, connected - ms);
        const left = Math.min(100, (start / total) * 100);
        return (
          <li key={name}>
            <span class="captured">{Object.hasOwn(PHASES, name) ? PHASES[name] : oneLine(name, 60)}</span>
            <span class="phase-track" aria-hidden="true">
              <span
                class={`phase is-${Object.hasOwn(PHASES, name) ? name : "other"}`}
                style={{ left: `${left}%`, width: `${Math.min(100 - left, (ms / total) * 100)}%` }}
              />
            </span>
            <span class="num">{formatDuration(ms)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Headers({
  row,
  request,
  response,
}: {
  row: NetworkRow;
  request: TraceEvent | null;
  response: TraceEvent | null;
}): JSX.Element {
  const model = useModel();
  const timing = response?.timing;
  const phases =
    timing && typeof timing === "object"
      ? Object.entries(timing).flatMap(([name, ms]) =>
          typeof ms === "number" && ms >= 0 ? [[name, ms] as const] : [],
        )
      : [];
  const requestHeaders = headersOf(request);
  const responseHeaders = headersOf(response);
  return (
    <ScrollPane label="Headers">
      <Section title="Request">
        <Facts
          rows={[
            ["Address", oneLine(row.url, 2000)],
            ["Started", `${formatOffset(model.elapsed(row.ts))} s`],
            ...(row.durationMs === null ? [] : [["Took", formatDuration(row.durationMs)] as const]),
            ...(row.size === null ? [] : [["Body", formatBytes(row.size)] as const]),
            ...(row.error ? [["Error", row.error] as const] : []),
            ...(row.stepId
              ? [["Step", oneLine(model.steps.value.byId(row.stepId)?.title ?? row.stepId, 200)] as const]
              : []),
          ]}
        />
      </Section>
      {phases.length > 0 && (
        <Section title="Timing">
          <Phases phases={phases} />
        </Section>
      )}
      {responseHeaders.length > 0 && (
        <Section title={`Response headers (${responseHeaders.length})`}>
          <Facts rows={responseHeaders} />
        </Section>
      )}
      {requestHeaders.length > 0 && (
        <Section title={`Request headers (${requestHeaders.length})`}>
          <Facts rows={requestHeaders} />
        </Section>
      )}
    </ScrollPane>
  );
}

/** One exchange: addresses and headers of both sides, what was sent and what came back. */
export function RequestDetail({ row }: { row: NetworkRow }): JSX.Element {
  const model = useModel();
  const isSocket = row.requestId !== null;
  const view = useSignal<View>(isSocket ? "messages" : "headers");
  const request = useEvent(model, row.requestSeq);
  const response = useEvent(model, row.responseSeq);
  const { openBody } = findState(model);
  const wanted = openBody.value?.reference;
  const payload = request.data?.body;
  const answer = response.data?.body;
  useEffect(() => {
    if (wanted === undefined) return;
    if (wanted === answer) view.value = "response";
    else if (wanted === payload) view.value = "payload";
  }, [wanted, payload, answer]);
  const error = request.error ?? response.error;
  const body = (): JSX.Element => {
    if (error) return <Failed error={error} />;
    if (request.isLoading || response.isLoading) return <Loading />;
    if (view.value === "messages" && row.requestId !== null) {
      const selected = model.eventSeq.value;
      const isOwn = selected === row.requestSeq || selected === row.responseSeq;
      return <Frames requestId={row.requestId} shown={isOwn ? null : selected} />;
    }
    if (view.value === "headers")
      return <Headers row={row} request={request.data} response={response.data} />;
    const event = view.value === "payload" ? request.data : response.data;
    if (typeof event?.body === "string" && event.body !== "") {
      return <BodyView body={event.body} mediaType={mediaTypeOf(event)} label={NAMES[view.value]} />;
    }
    return (
      <Message
        title={view.value === "payload" ? "Nothing was sent with the request." : "No body was recorded."}
      />
    );
  };
  return (
    <Detail
      tab="network"
      head={
        <>
          <span class="detail-title ellipsis captured mono" title={block(row.url, 600)}>
            {oneLine(row.method, 16)} {row.status ?? ""} {oneLine(row.url, 300)}
          </span>
          <CopyRequest row={row} />
        </>
      }
    >
      <Views
        label="Parts of the exchange"
        views={(isSocket ? SOCKET_VIEWS : VIEWS).map((name) => [name, NAMES[name]])}
        view={view}
      />
      {body()}
    </Detail>
  );
}
