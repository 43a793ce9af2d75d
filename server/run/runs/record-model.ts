import { type Static, Type } from "@sinclair/typebox";
import { REGION_NAME } from "../../../store/settings-schema.ts";
import { oneOf } from "../../trace/model.ts";
import { RunAnswer } from "./model.ts";

const Short = (maxLength = 200) => Type.String({ maxLength });
const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const Sign = () => OrNull(Short());

const FingerprintModel = Type.Object({
  tag: Short(),
  role: Sign(),
  testid: Sign(),
  id: Sign(),
  control: Sign(),
  label: Sign(),
  name: Sign(),
  placeholder: Sign(),
  heading: Sign(),
  alone: Type.Boolean(),
  path: Short(10_000),
});
const Fingerprints = Type.Record(Type.String({ maxLength: 2000 }), FingerprintModel, {
  description: "What was seen of the elements, by the target as the scenario names it.",
});

/** A run that another process than the server's own carries out. */
export const RunBegin = Type.Object(
  {
    scenario: Type.Object(
      {
        slug: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,63}$" }),
        title: Short(500),
        steps: Type.Array(Type.Object({}, { additionalProperties: true }), { examples: [[]] }),
      },
      { additionalProperties: true, description: "As `tracedeck scenarios check --json` prints it." },
    ),
    source: Type.Optional(Type.String({ description: "The text of the scenario's file." })),
    region: Type.String({ pattern: REGION_NAME }),
    base_url: Type.Optional(Type.String({ maxLength: 2000, description: "An http(s) address." })),
    code_sha: Type.Optional(Short()),
  },
  { additionalProperties: false },
);
export type RunBegin = Static<typeof RunBegin>;

export const RunBegun = Type.Object({ run: RunAnswer, fingerprints: Fingerprints });
export type RunBegun = Static<typeof RunBegun>;

export const RunProgress = Type.Object(
  {
    trace_id: Type.Optional(Type.String({ format: "uuid" })),
    lines: Type.Array(
      Type.Object({
        ts: Type.Integer({ minimum: 0, description: "Epoch ms." }),
        level: oneOf(["info", "warn", "error"]),
        message: Short(10_000),
        step_id: Type.Optional(Short()),
      }),
      { maxItems: 1000 },
    ),
  },
  { additionalProperties: false },
);
export type RunProgress = Static<typeof RunProgress>;

export const RunEnd = Type.Object(
  {
    status: oneOf(["passed", "failed", "error", "aborted"]),
    error: Type.Union([
      Type.Object({ reason: OrNull(Short()), message: Short(20_000) }, { additionalProperties: false }),
      Type.Null(),
    ]),
    healed: Type.Array(
      Type.Object({ step_id: Short(), from: Short(2000), to: Short(2000), why: Short(2000) }),
      { maxItems: 1000 },
    ),
    fingerprints: Fingerprints,
  },
  { additionalProperties: false },
);
export type RunEnd = Static<typeof RunEnd>;
