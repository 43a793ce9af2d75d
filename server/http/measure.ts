import type { Clock } from "../platform/clock.ts";
import type { Handle } from "./head.ts";
import type { Metrics } from "./metrics.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts answers by method and status, and measures the time until they begin. */
export function createMeasure(metrics: Metrics, clock: Pick<Clock, "monotonic">) {
  const answers = metrics.counter("http_requests_total", "Answered requests.", ["method", "status"]);
  const times = metrics.histogram("http_request_duration_seconds", "Time until an answer began.", {
    labelNames: ["method"],
    buckets: SECONDS,
  });
  const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

  return (handle: Handle): Handle =>
    (request) => {
      const started = clock.monotonic();
      const method = methods.has(request.method) ? request.method : "other";
      const note = (response: Response) => {
        answers.inc({ method, status: String(response.status) });
        times.observe((clock.monotonic() - started) / 1000, { method });
        return response;
      };
      const answer = handle(request);
      return answer instanceof Promise ? answer.then(note) : note(answer);
    };
}
