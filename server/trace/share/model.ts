import { type Static, Type } from "@sinclair/typebox";
import { oneOf, VISIBILITIES } from "../traces/model.ts";

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
