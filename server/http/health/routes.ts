import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { AppError } from "../errors.ts";
import { checkReadiness } from "./service.ts";

const TAGS = ["server", "health"];

const Alive = Type.Object({ status: Type.Literal("ok"), version: Type.String() });
const Ready = Type.Object({
  status: Type.Literal("ready"),
  checks: Type.Record(Type.String(), Type.Boolean()),
});

/** Whether the server lives, whether it can work, and its numbers. The same at the root and below `/v1`. */
export function healthRoutes(deps: Deps) {
  const alive = () => ({ status: "ok" as const, version: deps.config.version });

  async function ready() {
    const checks = checkReadiness(deps);
    const failing = Object.entries(checks).filter(([, isGood]) => !isGood);
    if (failing.length === 0) return { status: "ready" as const, checks };
    throw new AppError("unavailable", `Not ready: ${failing.map(([name]) => name).join(", ")}.`);
  }

  async function metrics() {
    const { contentType, body } = await deps.metrics.text();
    return new Response(body, { headers: { "content-type": contentType } });
  }

  const detail = (operationId: string, summary: string) => ({
    operationId,
    summary,
    tags: TAGS,
    security: [],
  });
  const text = {
    200: {
      description: "Prometheus text",
      content: { "text/plain": { schema: { type: "string" as const } } },
    },
  };
  const hide = { detail: { hide: true } };
  return new Elysia({ name: "health" })
    .get("/health", alive, {
      response: { 200: Alive },
      detail: detail("health.show", "Whether the server runs"),
    })
    .get("/healthz", alive, { response: { 200: Alive }, detail: detail("health.live", "Liveness probe") })
    .get("/readyz", ready, {
      response: { 200: Ready },
      detail: {
        ...detail("health.ready", "Readiness probe: 503 while the server cannot work"),
        responses: { 503: { description: "`unavailable`: the message names the checks that fail." } },
      },
    })
    .get("/metrics", metrics, {
      detail: { ...detail("health.metrics", "Metrics in the Prometheus text format"), responses: text },
    })
    .get("/v1/health", alive, hide)
    .get("/v1/healthz", alive, hide)
    .get("/v1/readyz", ready, hide)
    .get("/v1/metrics", metrics, hide);
}
