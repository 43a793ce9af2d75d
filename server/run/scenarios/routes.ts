import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { readJson } from "../../http/body.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../../identity/auth.ts";
import { readIntegers } from "../../trace/query.ts";
import { Frontmatter } from "../language/frontmatter-schema.ts";
import { WRITE_SCENARIOS } from "../scenario-rights.ts";
import { affectedBy } from "./affected.ts";
import {
  AffectedAnswer,
  ScenarioAnswer,
  ScenarioList,
  ScenarioListQuery,
  ScenarioText,
  StarterAnswer,
  StarterQuery,
  SyncAnswer,
  SyncRequest,
} from "./model.ts";
import { showScenario, showScenarios, showStarter } from "./service.ts";
import { syncScenarios, writeScenario } from "./sync.ts";

const TAGS = ["run", "scenarios"];
const READ = { scope: "scenarios:read" } as const;
/** A folder of scenarios is more text than other bodies are. */
const MAX_SYNC_BYTES = 32 * 1024 * 1024;
const Params = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "Id or slug." }),
});

/** Scenarios: taken in from a folder, listed, shown. */
export function scenariosRoutes(deps: Deps) {
  return (
    new Elysia({ name: "scenarios", detail: inDialect("monitoring") })
      .use(authMacro(deps))
      .get("/v1/scenarios", ({ actor, query }) => showScenarios(deps, actor, query), {
        auth: READ,
        query: ScenarioListQuery,
        transform: readIntegers("limit"),
        response: { 200: ScenarioList },
        detail: { operationId: "scenarios.list", tags: TAGS, summary: "List scenarios by slug" },
      })
      .get("/v1/scenarios/frontmatter.schema.json", () => Frontmatter, {
        auth: READ,
        response: { 200: Type.Object({}, { additionalProperties: true }) },
        detail: {
          operationId: "scenarios.schema",
          tags: TAGS,
          summary: "The JSON Schema of a scenario file's frontmatter",
        },
      })
      // Slugs have no point in them, so that no scenario stands behind this.
      .get("/v1/scenarios/starter.json", ({ query }) => showStarter(query), {
        auth: READ,
        query: StarterQuery,
        response: { 200: StarterAnswer },
        detail: {
          operationId: "scenarios.starter",
          tags: TAGS,
          summary: "A first scenario for a page: it opens it, and sees that it shows a text",
          description:
            "Nothing is kept and the page is not asked: POST it to `/v1/scenarios`, changed or as it is.",
        },
      })
      .post(
        "/v1/scenarios",
        async ({ actor, body }) => showScenario(deps, actor, await writeScenario(deps, actor, body)),
        {
          auth: WRITE_SCENARIOS,
          body: ScenarioText,
          response: { 200: ScenarioAnswer },
          detail: {
            operationId: "scenarios.write",
            tags: TAGS,
            summary: "Take in one scenario file, beside those that are known",
            description:
              "As `sync` takes it in: what its path held before is replaced. 422 with `file:line:column: message` of every problem; 409 when another path has the scenario's slug. A later sync of a folder that does not hold the file marks it `missing`. An agent by OAuth needs `mcp:write`.",
          },
        },
      )
      .post(
        "/v1/scenarios/sync",
        async ({ actor, request }) => syncScenarios(deps, actor, await readJson(request, MAX_SYNC_BYTES)),
        {
          parse: "none",
          auth: WRITE_SCENARIOS,
          response: { 200: SyncAnswer },
          detail: {
            operationId: "scenarios.sync",
            tags: TAGS,
            summary: "Take in a folder of scenario files, whole",
            description:
              "Creates and updates; a scenario whose file is gone is marked `missing`, never removed. Nothing changes when a file does not compile: 422 with `file:line:column: message` of every problem. An agent by OAuth needs `mcp:write`.",
            requestBody: { required: true, content: { "application/json": { schema: SyncRequest } } },
          },
        },
      )
      .get("/v1/scenarios/:id", ({ actor, params }) => showScenario(deps, actor, params.id), {
        auth: READ,
        params: Params,
        response: { 200: ScenarioAnswer },
        detail: { operationId: "scenarios.show", tags: TAGS, summary: "One scenario, with its last run" },
      })
      .get(
        "/v1/scenarios/:id/affected_by/:sha",
        ({ actor, params }) => affectedBy(deps, actor, params.id, params.sha),
        {
          auth: READ,
          params: Type.Composite([
            Params,
            Type.Object({ sha: Type.String({ pattern: "^[0-9a-fA-F]{4,64}$", description: "A commit." }) }),
          ]),
          response: { 200: AffectedAnswer },
          detail: {
            operationId: "scenarios.affected",
            tags: TAGS,
            summary: "Whether a commit concerns a scenario, and why",
            description:
              "What the commit changed against its first parent, in the repository that settings.json names (`code_host.repository_path`), is held against the scenario's `covers`, the scripts and style sheets that its runs used, and its own file. 422 when the repository does not have the commit; 503 without a repository.",
          },
        },
      )
  );
}
