import { queueMail } from "../../server/identity/mail/queue.ts";
import { commit } from "../../server/jobs/commit.ts";
import { insertReplay } from "../../store/records/replays.ts";
import type { TestApp } from "./app.ts";
import type { TestPerson } from "./org-people.ts";
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
  const sessions = await owner.send<{ items: { id: string }[] }>("GET", "/v1/sessions");
  return {
    orgId,
    trace,
    ids: {
      traces: trace.id,
      scenarios: scenarios.body.items.find(({ slug }) => slug === "a")!.id,
      histories: scenarios.body.items.find(({ slug }) => slug === "a")!.id,
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
    },
  };
}
