import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  UriTemplate,
  type Variables,
} from "@modelcontextprotocol/server";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../http/errors.ts";
import { requireScope } from "../identity/auth.ts";
import type { Scope } from "../identity/scopes.ts";
import { requireRun } from "../run/runs/service.ts";
import { showScenario } from "../run/scenarios/service.ts";
import { told, toldOrNull } from "../trace/fit.ts";
import { showHistory } from "../trace/histories/service.ts";
import { showTrace } from "../trace/traces/service.ts";
import type { Caller } from "./caller.ts";
import { explainError } from "./errors.ts";
import { toldTrace } from "./tools/get-trace.ts";
import { toldIncidents } from "./tools/incidents.ts";

const MOST_RECENT = 10;

interface Resource {
  name: string;
  title: string;
  description: string;
  template: string;
  /** Each of them is asked for. */
  scope: readonly Scope[];
  read(deps: Deps, caller: Caller, variables: Variables): Promise<object>;
  /** Addresses of this kind that can be read without knowing any id. */
  list?(caller: Caller): { uri: string; name: string }[];
}

/** The resources of the specification's stand-alone agent server. */
const RESOURCES: readonly Resource[] = [
  {
    name: "run-trace",
    title: "Trace of a run",
    description: "The trace that a run left, as get_trace tells it.",
    template: "product://orgs/{orgId}/runs/{runId}/trace",
    scope: ["runs:read", "traces:read"],
    async read(deps, caller, { orgId, runId }) {
      requireOwnOrg(caller, orgId);
      const run = await requireRun(deps, caller.actor, uuid(runId, "The run"));
      if (run.trace_id === null) throw notFound("The trace of this run");
      return toldTrace(caller, await showTrace(deps, caller.actor, run.trace_id, caller.origin));
    },
  },
  {
    name: "scenario-healthcheck",
    title: "Health of a scenario",
    description: "Whether a scenario passes: its last run, its recent history, since when it fails.",
    template: "product://scenarios/{id}/healthcheck{?orgId}",
    scope: ["scenarios:read", "traces:read"],
    async read(deps, caller, { id, orgId }) {
      if (orgId !== undefined) requireOwnOrg(caller, orgId);
      const scenario = await showScenario(deps, caller.actor, one(id));
      const { items, statistics, regression } = await showHistory(deps, caller.actor, scenario.id, {
        limit: MOST_RECENT,
      });
      const verdict = items.find(({ status }) => status === "passed" || status === "failed")?.status;
      return {
        scenario: { id: scenario.id, slug: scenario.slug, title: told(scenario.title, 200) },
        status: verdict === undefined ? "no_data" : verdict === "passed" ? "passing" : "failing",
        last_run: scenario.last_run,
        recent: items.map((item) => ({ ...item, failure_message: toldOrNull(item.failure_message, 200) })),
        ...{ statistics, regression },
        url: `${caller.publicOrigin}/scenarios/${scenario.slug}`,
      };
    },
  },
  {
    name: "incidents",
    title: "Incidents that have not ended",
    description:
      "What checks found broken and is not over, newest first, as product_list_incidents tells it: the first page.",
    template: "product://incidents/{orgId}",
    scope: ["incidents:read"],
    list: ({ actor }) => [{ uri: `product://incidents/${actor.orgId}`, name: "incidents" }],
    async read(deps, caller, { orgId }) {
      requireOwnOrg(caller, orgId);
      return toldIncidents(deps, caller);
    },
  },
];

export function registerResources(server: McpServer, deps: Deps, caller: Caller): void {
  for (const resource of RESOURCES) {
    const { name, title, description, template, list } = resource;
    const about = { title, description, mimeType: "application/json" };
    server.registerResource(
      name,
      new ResourceTemplate(withOptionalQuery(template), {
        list: list && (() => ({ resources: mayRead(caller, resource) ? list(caller) : [] })),
      }),
      about,
      async (uri, variables) => {
        try {
          for (const scope of resource.scope) requireScope(caller.actor, scope);
          const answer = await resource.read(deps, caller, variables);
          return {
            contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(answer) }],
          };
        } catch (error) {
          const { kind, message } = explainError(deps, resource, error);
          const code =
            kind === "internal" ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
          throw new ProtocolError(code, `${kind}: ${message}`, { uri: uri.href });
        }
      },
    );
  }
}

const mayRead = ({ actor }: Caller, { scope }: Resource): boolean =>
  scope.every((one) => actor.scopes.has(one));

/** RFC 6570: a variable of a query that has no value is left out. The package asks for it all the same. */
function withOptionalQuery(template: string): UriTemplate {
  const whole = new UriTemplate(template);
  const bare = new UriTemplate(template.replace(/\{\?[^{}]*\}$/, ""));
  const match = whole.match.bind(whole);
  whole.match = (uri) => match(uri) ?? bare.match(uri);
  return whole;
}

function requireOwnOrg({ actor }: Caller, named: string | string[] | undefined): void {
  if (one(named) !== actor.orgId)
    throw new AppError("wrong_org", "The address names an org that the credential is not used for.");
}

const one = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? "") : (value ?? "");

function uuid(value: string | string[] | undefined, what: string): string {
  const id = one(value);
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw notFound(what);
  return id;
}
