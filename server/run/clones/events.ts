import type { Recorder } from "../capture/recorder.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { CloneSet } from "./set.ts";
import type { CloneExchange, CloneService } from "./types.ts";

/** Records every change of the clones' state. */
export function recordStates(clones: CloneSet, recorder: Recorder): void {
  for (const clone of clones.clones)
    clone.onChange((change) => recorder.emit("clone.state", { service: clone.service, ...change }));
}

/** Records what the target's server asked of a clone, as the requests of its pages are. */
export function createExchangeRecorder(recorder: Recorder, redactor: Redactor) {
  let last = 0;
  return (clone: CloneService, { request, response, durationMs }: CloneExchange): void => {
    last += 1;
    const shared = {
      request_id: `clone-${clone}-${last}`,
      method: request.method,
      url: redactor.url(request.url.href),
      resource_type: "server",
      clone,
    };
    const sent = new TextDecoder().decode(request.body);
    recorder.emit("network.request", {
      ...shared,
      headers: redactor.headers(toHeaders(request.headers)),
      ...(sent !== "" && { body: recorder.body(sent) }),
    });
    const type = (response.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
    const { body } = response;
    recorder.emit("network.response", {
      ...shared,
      status: response.status,
      headers: redactor.headers(toHeaders(response.headers)),
      ...(body.length > 0 && {
        body: typeof body === "string" ? recorder.body(body) : recorder.blob(redactor.bytes(body)),
      }),
      body_size: typeof body === "string" ? Buffer.byteLength(body) : body.length,
      ...(type !== "" && { media_type: type }),
      duration_ms: Math.round(durationMs * 10) / 10,
    });
  };
}

const toHeaders = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));
