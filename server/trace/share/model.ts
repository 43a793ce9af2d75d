import { type Static, Type } from "@sinclair/typebox";
import { oneOf, VISIBILITIES } from "../model.ts";

const Visibility = oneOf(VISIBILITIES);

export const ShareRequest = Type.Object({
  visibility: Visibility,
  expires_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 7 })),
});
export type ShareRequest = Static<typeof ShareRequest>;

export const ShareAnswer = Type.Object({
  short_id: Type.String(),
  url: Type.String({ format: "uri" }),
  visibility: Visibility,
  expires_at: Type.String({ format: "date-time" }),
});
export type ShareAnswer = Static<typeof ShareAnswer>;

export const ShareState = Type.Object({
  ...ShareAnswer.properties,
  views: Type.Integer({ description: "How often the shared page was opened." }),
  last_viewed_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
});
export type ShareState = Static<typeof ShareState>;

const Opening = Type.Object({
  at: Type.String({ format: "date-time", description: "When last on that day (UTC)." }),
  times: Type.Integer({ description: "How often on that day, from the same address with the same program." }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: "Abbreviated: 203.0.113.×. Behind a proxy that of the proxy, but for `serve --trust-proxy`.",
  }),
  agent: Type.Union([Type.String(), Type.Null()], {
    description: "Browser and system, as it called itself.",
  }),
  is_embedded: Type.Boolean({ description: "Opened in another site's frame." }),
});

export const ShareViews = Type.Object({
  views: Type.Integer({ description: "How often it was opened in all." }),
  openings: Type.Array(Opening, {
    description:
      "The latest 100 visitors of the last 90 days, each once a day, latest first; of the first 10,000 openings.",
  }),
});
export type ShareViews = Static<typeof ShareViews>;

export const ShareCheck = Type.Object({
  redaction_count: Type.Integer({ description: "Values that were masked when the trace was recorded." }),
  headers: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() }), {
    description: "Headers that carry credentials and show their value, and in how many requests and answers.",
  }),
  is_complete: Type.Boolean({ description: "False when there are more requests than were looked at." }),
});
export type ShareCheck = Static<typeof ShareCheck>;

/** What the shared page learns of a trace: nothing that leads elsewhere. */
export const SharedTrace = Type.Object({
  short_id: Type.String(),
  scenario_title: Type.String(),
  scenario_slug: Type.String(),
  status: Type.String(),
  tier: Type.String(),
  duration_ms: Type.Integer(),
  code_sha: Type.Union([Type.String(), Type.Null()]),
  failure_signature: Type.Union([Type.String(), Type.Null()]),
  failure_message: Type.Union([Type.String(), Type.Null()]),
  failed_step_id: Type.Union([Type.String(), Type.Null()]),
  final_screenshot: Type.Union([Type.String(), Type.Null()]),
  event_count: Type.Integer(),
  error_count: Type.Integer(),
  created_at: Type.String({ format: "date-time" }),
  share_visibility: Visibility,
  share_expires_at: Type.String({ format: "date-time" }),
  signed_urls: Type.Record(Type.String(), Type.String({ format: "uri" })),
});
export type SharedTrace = Static<typeof SharedTrace>;
