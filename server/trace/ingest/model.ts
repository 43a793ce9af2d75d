import { type Static, Type } from "@sinclair/typebox";
import { oneOf, SOURCES } from "../model.ts";

export const IngestAnswer = Type.Object(
  {
    trace_id: Type.String({ format: "uuid" }),
    short_id: Type.String(),
    warnings: Type.Array(Type.String(), {
      description: "What was left out, salvaged or not found, as sentences. The trace is kept all the same.",
    }),
  },
  { description: "The trace exists; its status is `queued` until post-processing ends." },
);
export type IngestAnswer = Static<typeof IngestAnswer>;

export const RUN_ID =
  "What the attempts of one test in one run have in common, such as the CI run's id: traces of the same scenario with the same value are shown as attempts of each other. 1 to 200 visible characters.";
export const ATTEMPT =
  "Which attempt of the run it is, from 1. Without it, the order of arrival tells (Playwright's `testInfo.retry` is one less).";

export const WebhookBody = Type.Object(
  {
    bundle_path: Type.Optional(
      Type.String({ description: "Absolute path of a regular file that the server can read." }),
    ),
    bundle_url: Type.Optional(
      Type.String({ description: "http(s) URL of the file. Instead of `bundle_path`." }),
    ),
    scenario_slug: Type.String({
      description: "1 to 64 of a-z, 0-9 and -; an unknown one makes the scenario.",
    }),
    scenario_title: Type.Optional(
      Type.String({ description: "What people call it; 1 to 1,000 characters." }),
    ),
    source: Type.Optional(oneOf(SOURCES)),
    commit_sha: Type.Optional(Type.String()),
    pr_number: Type.Optional(Type.Integer({ minimum: 1 })),
    run_id: Type.Optional(Type.String({ description: RUN_ID })),
    attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999, description: ATTEMPT })),
    env: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "About the run, shown with the trace." }),
    ),
  },
  { examples: [{ bundle_path: "/srv/traces/trace.zip", scenario_slug: "checkout" }] },
);
export type WebhookBody = Static<typeof WebhookBody>;
