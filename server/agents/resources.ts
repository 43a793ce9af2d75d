import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../http/errors.ts";
import { requireScope } from "../identity/auth.ts";
import type { Scope } from "../identity/scopes.ts";
import { requireRun } from "../run/runs/service.ts";
import { showScenario } from "../run/scenarios/service.ts";
import { showHistory } from "../trace/histories/service.ts";
import { showTrace } from "../trace/traces/service.ts";
import type { IncidentItem } from "../watch/incidents/model.ts";
import { showIncidents } from "../watch/incidents/service.ts";
import type { Caller } from "./caller.ts";
import { explainError } from "./errors.ts";
import { toldIncident } from "./tools/incidents.ts";
import { traceLink } from "./trace-reference.ts";

const UNRESOLVED = ["open", "acknowledged", "suppressed"] as const;
const MOST_INCIDENTS = 100;

type Variables = Record<string, string | string[]>;

interface Resource {
  name: string;
  title: string;
  description: string;
  template: string;
  /** Each of them is asked for. */
  scope: readonly Scope[];
  read(deps: Deps, caller: Caller, variables: Variables): Promise<object>;
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
      const trace = await showTrace(deps, caller.actor, run.trace_id, caller.origin);
      return { ...trace, url: traceLink(caller, trace.id, trace.failed_step_id) };
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
        limit: 10,
      });
      const verdict = items.find(({ status }) => status === "passed" || status === "failed")?.status;
      return {
        scenario: { id: scenario.id, slug: scenario.slug, title: scenario.title },
        status: verdict === undefined ? "no_data" : verdict === "passed" ? "passing" : "failing",
        last_run: scenario.last_run,
        recent: items,
        ...{ statistics, regression },
        url: `${caller.publicOrigin}/scenarios/${scenario.slug}`,
      };
    },
  },
  {
    name: "incidents",
    title: "Incidents that have not ended",
    description: "What checks found broken and is not over, newest first; 100 at most.",
    template: "product://incidents/{orgId}",
    scope: ["incidents:read"],
    async read(deps, caller, { orgId }) {
      requireOwnOrg(caller, orgId);
      const items: IncidentItem[] = [];
      for (const status of UNRESOLVED)
        items.push(...(await showIncidents(deps, caller.actor, { status, limit: MOST_INCIDENTS })).items);
      const newest = items.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MOST_INCIDENTS);
      return { items: newest.map((incident) => toldIncident(caller, incident)) };
    },
  },
];

export function registerResources(server: McpServer, deps: Deps, caller: Caller): void {
  for (const resource of RESOURCES) {
    const { name, title, description, template } = resource;
    const about = { title, description, mimeType: "application/json" };
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined }),
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
