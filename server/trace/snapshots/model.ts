import { type Static, Type } from "@sinclair/typebox";

export const SnapshotQueryModel = Type.Object({
  page: Type.Optional(
    Type.String({ maxLength: 200, description: "Of this page, as `dom.snapshot` events name it" }),
  ),
  frame: Type.Optional(
    Type.String({ maxLength: 200, description: "Of this frame; the page's main frame without it" }),
  ),
});

/** A recorded page, and where it opens. */
export const SnapshotAnswer = Type.Object({
  name: Type.String(),
  phase: Type.Union([Type.String(), Type.Null()], { description: "`before`, `action` or `after`" }),
  page: Type.String(),
  frame: Type.String(),
  is_main_frame: Type.Boolean(),
  url: Type.String({ description: "Address of the frame when it was recorded" }),
  viewport: Type.Union([Type.Object({ width: Type.Number(), height: Type.Number() }), Type.Null()]),
  html_url: Type.String({
    format: "uri",
    description: "The page as it was, to be shown in a frame; opens for a while",
  }),
  inspect_url: Type.String({
    format: "uri",
    description: "The same page with the viewer's inspector, which answers the viewer alone",
  }),
});
export type SnapshotAnswer = Static<typeof SnapshotAnswer>;
