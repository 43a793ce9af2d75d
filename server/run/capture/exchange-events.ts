import type { Request, Response } from "playwright-core";
import type { Header } from "../../trace/format/event.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { Recorder } from "./recorder.ts";

/** A request that is listed: its number, and the step that sent it. */
interface Listed {
  id: string;
  stepId: string | null;
}

interface Answer {
  /** Epoch ms of its last byte. */
  ts: number;
  /** Ms since the request. */
  took: number;
  headers: Header[];
  /** Further fields of the event. */
  more: Record<string, unknown>;
}

export type ExchangeEvents = ReturnType<typeof createExchangeEvents>;

/** Writes requests and their answers as `network.request` and `network.response`, redacted. */
export function createExchangeEvents({ recorder, redactor }: { recorder: Recorder; redactor: Redactor }) {
  return {
    request(id: string, request: Request): void {
      const body = request.postData();
      recorder.emit("network.request", {
        request_id: id,
        method: request.method(),
        url: redactor.url(request.url()),
        headers: redactor.headers(headersOf(request)),
        ...(body !== null && { body: recorder.body(body) }),
        resource_type: request.resourceType(),
      });
    },

    response(
      { id, stepId }: Listed,
      request: Request,
      response: Response,
      { ts, took, headers, more }: Answer,
    ): void {
      recorder.emit(
        "network.response",
        {
          request_id: id,
          method: request.method(),
          url: redactor.url(request.url()),
          status: response.status(),
          status_text: response.statusText(),
          headers: redactor.headers(headers),
          ...more,
          duration_ms: Math.round(took * 10) / 10,
          timing: phasesOf(request),
          resource_type: request.resourceType(),
        },
        { ts, stepId },
      );
    },

    /** A request that was never answered, `took` ms after it. */
    failure(
      { id, stepId }: Listed,
      request: Request,
      { took, error }: { took: number; error: string },
    ): void {
      recorder.emit(
        "network.response",
        {
          request_id: id,
          method: request.method(),
          url: redactor.url(request.url()),
          status: 0,
          headers: [],
          duration_ms: Math.round(took),
          resource_type: request.resourceType(),
          error,
        },
        { stepId },
      );
    },
  };
}

/** The headers that are known without asking the browser once more. */
export function headersOf(message: Request | Response): Header[] {
  return Object.entries(message.headers()).map(([name, value]) => ({ name, value }));
}

/** HAR's phases in ms; those that did not happen are left out. */
function phasesOf(request: Request): Record<string, number> {
  const at = request.timing();
  const span = (from: number, to: number) =>
    from >= 0 && to >= from ? Math.round((to - from) * 10) / 10 : -1;
  const phases = {
    dns: span(at.domainLookupStart, at.domainLookupEnd),
    connect: span(at.connectStart, at.connectEnd),
    ssl: span(at.secureConnectionStart, at.connectEnd),
    wait: span(at.requestStart, at.responseStart),
    receive: span(at.responseStart, at.responseEnd),
  };
  return Object.fromEntries(Object.entries(phases).filter(([, ms]) => ms >= 0));
}
