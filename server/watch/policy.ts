import { type Static, Type } from "@sinclair/typebox";
import type { CheckRow } from "../../store/records/checks.ts";
import { oneOf } from "../trace/model.ts";

const DAY_MINUTES = 24 * 60;
const Window = (description: string) => Type.Integer({ minimum: 1, maximum: 7 * DAY_MINUTES, description });

/** What is said of when a check's failures are told; each field that is left out has its default. */
export const GivenPolicy = Type.Object(
  {
    consecutive_failures: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.Null()], {
        description: "Failures in a row in one region; 2 when absent, null for never.",
      }),
    ),
    failure_rate: Type.Optional(
      Type.Union(
        [
          Type.Object({
            percent: Type.Optional(
              Type.Number({ exclusiveMinimum: 0, maximum: 100, description: "50 when absent." }),
            ),
            window_minutes: Type.Optional(Window("30 when absent.")),
            min_samples: Type.Optional(
              Type.Integer({ minimum: 1, maximum: 10_000, description: "4 when absent." }),
            ),
          }),
          Type.Null(),
        ],
        { description: "So many percent of the runs in a window, or more; null for never." },
      ),
    ),
    latency_p99: Type.Optional(
      Type.Union(
        [
          Type.Object({
            ms: Type.Integer({ minimum: 1, maximum: 3_600_000 }),
            window_minutes: Type.Optional(Window("30 when absent.")),
          }),
          Type.Null(),
        ],
        {
          description: "The 99th percentile of how long passed runs took, of at least 20; never when absent.",
        },
      ),
    ),
    shadow_diff: Type.Optional(
      Type.Boolean({ description: "Whether drift from the clones is told; as `shadow_prod` when absent." }),
    ),
    self_heal: Type.Optional(
      Object.assign(oneOf(["informational"] as const), { description: "A healed locator is noted." }),
    ),
    retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        description: "Runs again before a failure counts; 1 when absent.",
      }),
    ),
    remind_minutes: Type.Optional(
      Type.Union([Type.Integer({ minimum: 5, maximum: DAY_MINUTES }), Type.Null()], {
        description:
          "Minutes after which an incident that nobody acknowledged is told again while it fails, at most 24 times; never when absent.",
      }),
    ),
    channels: Type.Optional(
      Type.Array(Type.String({ format: "uuid" }), {
        maxItems: 100,
        description:
          "Ids of notification channels of the org, for incidents; all enabled ones when absent, none for [].",
      }),
    ),
  },
  { additionalProperties: false },
);
export type GivenPolicy = Static<typeof GivenPolicy>;

/** The same with every default in its place. */
export const AlertPolicy = Type.Object({
  consecutive_failures: Type.Union([Type.Integer(), Type.Null()]),
  failure_rate: Type.Union([
    Type.Object({ percent: Type.Number(), window_minutes: Type.Integer(), min_samples: Type.Integer() }),
    Type.Null(),
  ]),
  latency_p99: Type.Optional(Type.Object({ ms: Type.Integer(), window_minutes: Type.Integer() })),
  shadow_diff: Type.Boolean(),
  self_heal: oneOf(["informational"] as const),
  retries: Type.Integer(),
  remind_minutes: Type.Optional(Type.Integer()),
  channels: Type.Optional(Type.Array(Type.String())),
});
export type AlertPolicy = Static<typeof AlertPolicy>;

/** The policy of a check, its defaults filled in. */
export function policyOf({
  alert_policy,
  shadow_prod,
}: Pick<CheckRow, "alert_policy" | "shadow_prod">): AlertPolicy {
  const given = JSON.parse(alert_policy) as GivenPolicy;
  const { failure_rate, latency_p99 } = given;
  return {
    consecutive_failures: given.consecutive_failures === undefined ? 2 : given.consecutive_failures,
    failure_rate:
      failure_rate === null ? null : { percent: 50, window_minutes: 30, min_samples: 4, ...failure_rate },
    ...(latency_p99 && { latency_p99: { window_minutes: 30, ...latency_p99 } }),
    shadow_diff: given.shadow_diff ?? shadow_prod === 1,
    self_heal: "informational",
    retries: given.retries ?? 1,
    ...(given.remind_minutes && { remind_minutes: given.remind_minutes }),
    ...(given.channels && { channels: given.channels }),
  };
}

/**
 * Where a check compares the clones of its scenario with production: always in its first region, so that the comparisons that find drift
 * and those that end it are of one place. Null when it does not.
 */
export function comparedRegion({
  regions,
  shadow_prod,
}: Pick<CheckRow, "regions" | "shadow_prod">): string | null {
  const [first] = JSON.parse(regions) as string[];
  return shadow_prod === 1 && first !== undefined ? first : null;
}
