import { type Static, Type } from "@sinclair/typebox";
import type { ScenarioFileRow } from "../../../store/records/scenarios.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";
import type { CompiledScenario } from "../language/ast.ts";
import { RunAnswer } from "../runs/model.ts";

const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);

export const ScenarioAnswer = Type.Object({
  id: Type.String({ format: "uuid" }),
  slug: Type.String(),
  title: Type.String(),
  path: Type.Union([Type.String(), Type.Null()], {
    description: "Of its file, relative to the synced folder; null for a scenario that only traces name.",
  }),
  missing: Type.Boolean({ description: "Whether its file was gone at the last sync." }),
  compiled: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: "What its file compiled to; secrets are references.",
  }),
  schedule: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
  mender: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
  covers: Type.Array(Type.String()),
  last_run: Type.Union([RunAnswer, Type.Null()]),
  created_at: Type.String(),
  updated_at: Type.String(),
});
export type ScenarioAnswer = Static<typeof ScenarioAnswer>;

export const ScenarioList = Type.Object({
  items: Type.Array(ScenarioAnswer),
  next_cursor: OrNull(Type.String()),
});

export const ScenarioListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  q: Type.Optional(Type.String({ maxLength: 200, description: "Part of the slug or title." })),
  has_run: Type.Optional(
    Object.assign(oneOf(["true", "false", "1", "0"]), {
      description: "Whether a run or a trace of it is kept.",
    }),
  ),
});
export type ScenarioListQuery = Static<typeof ScenarioListQuery>;

/** The whole of a folder: what it does not name has vanished from it. */
export const SyncRequest = Type.Object({
  files: Type.Array(
    Type.Object({
      path: Type.String({
        minLength: 1,
        maxLength: 500,
        description: "Relative to the folder, with slashes.",
      }),
      text: Type.String(),
    }),
    {
      maxItems: 5000,
      examples: [
        [
          {
            path: "checkout.scenario.md",
            text: '---\nslug: checkout\ntitle: Checkout\nbase_url: https://shop.example\n---\n1. go to "/"\n',
          },
        ],
      ],
    },
  ),
  recordings: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String({ minLength: 1, maxLength: 500, description: "As that of a file." }),
        text: Type.String(),
      }),
      { maxItems: 1000, description: "The HARs that `har:` of the scenarios' clones names." },
    ),
  ),
});
export type SyncRequest = Static<typeof SyncRequest>;

export const SyncAnswer = Type.Object({
  created: Type.Array(Type.String(), { description: "Slugs." }),
  updated: Type.Array(Type.String()),
  unchanged: Type.Array(Type.String()),
  missing: Type.Array(Type.String(), { description: "Whose file is gone. They are kept." }),
});
export type SyncAnswer = Static<typeof SyncAnswer>;

const PATH = {
  minLength: 1,
  maxLength: 500,
  description: "Relative to the folder that the scenarios lie in, with slashes.",
};

/** One file, beside those that are known. */
export const ScenarioText = Type.Object(
  {
    path: Type.String({ ...PATH, examples: ["shop-example.scenario.md"] }),
    text: Type.String({
      maxLength: 1_000_000,
      examples: ['---\nslug: shop-example\ntitle: Shop\nbase_url: https://shop.example\n---\n1. go to "/"\n'],
    }),
  },
  { additionalProperties: false },
);
export type ScenarioText = Static<typeof ScenarioText>;

export const StarterQuery = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: "Address of the page, http or https.",
    examples: ["https://shop.example/"],
  }),
  text: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: "What a visitor must see there.",
    examples: ["Add to cart"],
  }),
});
export type StarterQuery = Static<typeof StarterQuery>;

export const StarterAnswer = Type.Object({
  path: Type.String({ description: "How the file may be called." }),
  text: Type.String({ description: "A scenario that compiles." }),
});
export type StarterAnswer = Static<typeof StarterAnswer>;

export const AffectedAnswer = Type.Object({
  affected: Type.Boolean(),
  reasons: Type.Array(
    Type.Object({
      path: Type.String({ description: "In the repository." }),
      rule: oneOf(["covers", "coverage", "scenario_file"]),
    }),
    { description: "Each changed path that concerns the scenario, with the first rule that holds." },
  ),
});
export type AffectedAnswer = Static<typeof AffectedAnswer>;

export function toScenario(row: ScenarioFileRow, lastRun: RunAnswer | null): ScenarioAnswer {
  const compiled = row.compiled === null ? null : (JSON.parse(row.compiled) as CompiledScenario);
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    path: row.path,
    missing: row.missing === 1,
    compiled,
    schedule: compiled?.schedule ?? null,
    mender: compiled?.mender ?? null,
    covers: compiled?.covers ?? [],
    last_run: lastRun,
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}
