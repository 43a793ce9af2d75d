import { queueMail } from "../../server/identity/mail/queue.ts";
import { commit } from "../../server/jobs/commit.ts";
import { insertCheck } from "../../store/records/checks.ts";
import { insertInbound } from "../../store/records/inbound-deliveries.ts";
import { insertIncident } from "../../store/records/incidents.ts";
import { insertAttempt } from "../../store/records/mender.ts";
import { insertReplay } from "../../store/records/replays.ts";
import type { TestApp } from "./app.ts";
import { anonymous, connect } from "./oauth.ts";
import type { TestPerson } from "./org-people.ts";
import { directory } from "./scim.ts";
import { uploadTrace } from "./traces.ts";

export interface FilledOrg {
  orgId: string;
  /** Ids in paths, by the word before them: `/v1/traces/{id}` is `traces`. */
  ids: Record<string, string>;
  trace: { id: string; shortId: string };
}

/** One of each noun in an org, whose owner is signed in. Jobs of runs wait. */
export async function oneOfEach(
  t: TestApp,
  { orgId, owner }: { orgId: string; owner: TestPerson },
): Promise<FilledOrg> {
  const api: TestApp["api"] = (path, init = {}) => owner.call(path, init);
  const make = async (path: string, body: unknown, method = "POST"): Promise<{ id: string }> => {
    const answer = await owner.send<{ id: string }>(method, path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const trace = await uploadTrace(t, { api });
  await make(`/v1/traces/${trace.id}/share`, { visibility: "public-read" });
  const files = [
    { path: "a.scenario.md", text: '---\nslug: a\ntitle: A\n---\n1. go to "http://localhost:1/"\n' },
  ];
  await make("/v1/scenarios/sync", { files });
  const scenarios = await owner.send<{ items: { id: string; slug: string }[] }>("GET", "/v1/scenarios");
  const run = await make("/v1/runs/manual", { scenarioId: "a", baseUrl: "http://127.0.0.1:9" });
  const testRun = await make("/v1/test-runs", { started_at: new Date(t.clock.now()).toISOString() });
  const search = await make("/v1/saved-searches", { name: "mine", query: "q=a" });
  await make("/v1/secrets/PASSWORD", { value: "s3cret" }, "PUT");
  const key = await make("/v1/api-keys", { name: "ci", scopes: ["traces:read"] });
  const invitation = await make("/v1/invitations", { email: "new@people.example", role: "member" });
  const gate = await owner.send<{ id: string; pull_request_id: string }>("POST", "/v1/gates", {
    ...{ repo: "acme/shop", pr: 7, head_sha: "a".repeat(40), base_sha: "b".repeat(40), files: [] },
  });
  const replay = t.deps.ids.uuid();
  const plan = {
    org_id: orgId,
    trace_id: trace.id,
    status: "queued",
    from_step: 1,
    triggered_via: "api",
  } as const;
  await insertReplay(t.store.records, {
    id: replay,
    ...plan,
    plan: "{}",
    has_edits: 0,
    created_at: t.clock.now(),
  });
  const mail = await commit(t.deps, (trx, after) =>
    queueMail(t.deps, trx, after, {
      orgId,
      kind: "notification",
      to: "a@b.example",
      subject: "s",
      text: "t",
    }),
  );
  const scenarioId = scenarios.body.items.find(({ slug }) => slug === "a")!.id;
  const { check, incident } = await watched(t, { orgId, scenarioId, runId: run.id });
  const inbound = t.deps.ids.uuid();
  await insertInbound(t.store.records, {
    ...{ id: inbound, org_id: orgId, guid: inbound, event: "push", action: null, repository: "a/b" },
    ...{ subject: "main", payload: "{}", payload_bytes: 2, happened_at: null, state: "done", outcome: "it" },
    ...{ received_at: 1, tried_since: 1, next_attempt_at: null, ended_at: 1 },
  });
  const chat = await make(`/v1/traces/${trace.id}/chats`, { title: "Why" });
  const fix = t.deps.ids.uuid();
  await insertAttempt(t.store.records, {
    ...{ id: fix, org_id: orgId, scenario_id: scenarioId, run_id: run.id, trace_id: trace.id },
    ...{
      failure_signature: "sig_a",
      basis: "b",
      promoted_replay_id: null,
      status: "proposed",
      stage: "ended",
    },
    ...{ origin: "rules", classification: "unknown", confidence: 0, summary: "Theirs", evidence: "[]" },
    ...{ path: "a.scenario.md", base_text: "", created_at: t.clock.now(), updated_at: t.clock.now() },
  });
  const window = await make("/v1/maintenance-windows", {
    name: "w",
    starts_at: "2031-01-01T00:00",
    duration_minutes: 5,
  });
  const channel = await make("/v1/notification-channels", {
    type: "email",
    name: "On call",
    address: "a@b.example",
  });
  const delivery = await make(`/v1/notification-channels/${channel.id}/test`, undefined);
  const provisioning = await owner.send<{ key: string }>("POST", "/v1/api-keys", {
    name: "directory",
    scopes: ["scim:manage"],
  });
  const people = directory(t.api, provisioning.body.key);
  const user = await people.user("provisioned@people.example");
  const group = await people.group("A group", [user.id as string]);
  await connect(anonymous(t), owner.headers.cookie!);
  const grants = await owner.send<{ items: { id: string; client: { id: string } }[] }>(
    "GET",
    "/v1/oauth/grants",
  );
  const sessions = await owner.send<{ items: { id: string }[] }>("GET", "/v1/sessions");
  const org = await owner.send<{ slug: string }>("GET", `/v1/orgs/${orgId}`);
  return {
    orgId,
    trace,
    ids: {
      status: org.body.slug,
      traces: trace.id,
      scenarios: scenarioId,
      histories: scenarioId,
      runs: run.id,
      "shadow-diff": run.id,
      "test-runs": testRun.id,
      "saved-searches": search.id,
      secrets: "PASSWORD",
      "api-keys": key.id,
      replays: replay,
      mail,
      invitations: invitation.id,
      orgs: orgId,
      members: owner.userId,
      sessions: sessions.body.items[0]!.id,
      scheduled_checks: check,
      incidents: incident,
      gates: gate.body.id,
      "pull-requests": gate.body.pull_request_id,
      "inbound-deliveries": inbound,
      mender: fix,
      chats: chat.id,
      "maintenance-windows": window.id,
      "notification-channels": channel.id,
      "webhook-deliveries": delivery.id,
      Users: user.id as string,
      Groups: group.id as string,
      grants: grants.body.items[0]!.id,
      clients: grants.body.items[0]!.client.id,
    },
  };
}

/** A check that is off, and an incident of its scenario. */
async function watched(
  t: TestApp,
  { orgId, scenarioId, runId }: { orgId: string; scenarioId: string; runId: string },
): Promise<{ check: string; incident: string }> {
  const now = t.clock.now();
  const check = t.deps.ids.uuid();
  await insertCheck(
    t.store.records,
    {
      ...{ id: check, org_id: orgId, scenario_id: scenarioId, origin: "api", cron: "* * * * *" },
      ...{ timezone: "UTC", regions: '["us-east-1"]', shadow_prod: 0, alert_policy: "{}", enabled: 0 },
      ...{ paused_at: null, paused_until: null, paused_by: null, counts_from: 0 },
      ...{ next_run_at: null, last_run_at: null, last_tick_at: null, created_at: now, updated_at: now },
    },
    10,
  );
  const incident = t.deps.ids.uuid();
  await insertIncident(t.store.records, {
    ...{ id: incident, org_id: orgId, scenario_id: scenarioId, region: "us-east-1" },
    ...{ type: "consecutive_failures", status: "open", severity: "error", rules: '["consecutive_failures"]' },
    ...{ policy: "{}", opened_at: now, failing_at: now, last_run_id: runId },
  });
  return { check, incident };
}
