import { type CommitRecording, keepCommitRecordings } from "../../../store/records/commit-recordings.ts";
import type { Trx } from "../../../store/records/db.ts";
import { gateScenarios } from "../../../store/records/gate-scenarios.ts";
import {
  findGate,
  type GateRow,
  gateAlone,
  type ListedGate,
  listGates,
} from "../../../store/records/gates.ts";
import { isOrgThere } from "../../../store/records/orgs.ts";
import { findPullRequestByNumber } from "../../../store/records/pull-requests.ts";
import { findRun, type RunRow } from "../../../store/records/runs.ts";
import { findTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { readIdCursor, writeIdCursor } from "../../http/cursors.ts";
import { AppError, invalid, notFound } from "../../http/errors.ts";
import { createBodyCheck } from "../../http/validation.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { isFirstOrg } from "../../identity/orgs.ts";
import { commit } from "../../jobs/commit.ts";
import { fromIso } from "../../platform/clock.ts";
import { requireAddress } from "../../run/runs/service.ts";
import { serveBlob } from "../../trace/files/service.ts";
import { judgeAgain, keepPullRequest } from "../flow/follow-host.ts";
import { askForHead, newerHead } from "../flow/newer-head.ts";
import { gatesOfSame, keepLateGate, openGate, purposeOf } from "../flow/open.ts";
import { requireGate } from "../flow/require.ts";
import { isEnded } from "../flow/transitions.ts";
import type { Fix } from "../mender/fix-of.ts";
import { factsOf, fixOf } from "../tell/facts.ts";
import { reportOf } from "../tell/report.ts";
import type { Finding } from "../verdict/finding.ts";
import {
  filesProblem,
  type GateAnswer,
  type GateItem,
  type GateListQuery,
  NewGate,
  toGate,
  toGateItem,
} from "./model.ts";

const DEFAULT_LIMIT = 50;

const checkGate: (body: unknown) => asserts body is NewGate = createBodyCheck(NewGate);

/**
 * Has a commit of a pull request judged, as CI asks for it. Asked again while that goes on, the gate that is there answers. Of a commit that is
 * not the pull request's newest any more it is noted that somebody asked, and nothing else.
 * @throws AppError `validation_failed` naming the field
 */
export async function requestGate(deps: Deps, actor: Actor, body: unknown): Promise<GateAnswer> {
  checkGate(body);
  const problem = filesProblem(body);
  if (problem) throw invalid(problem);
  if (body.url !== undefined) requireAddress("url", body.url);
  const { orgId } = actor;
  const own = await ownRepository(deps, orgId);
  // Names of repositories count without their case: news of the host comes under the name of the settings.
  const isOwn = body.repo === undefined || body.repo.toLowerCase() === own?.toLowerCase();
  const repository = isOwn ? own : body.repo!;
  if (repository === null)
    throw invalid('The body must have "repo", owner/name: settings.json names no repository.');
  const now = deps.clock.now();
  const headAt = readHeadAt(body, now);
  const [headSha, baseSha] = [body.head_sha.toLowerCase(), body.base_sha.toLowerCase()];
  const { files = null, changed = null, base_files = null } = body;
  const recordings = body.recordings ? await packRecordings(body.recordings) : null;
  const request = {
    kind: "pull_request",
    ...{ orgId, repository, number: body.pr, headSha, headAt, baseSha, trigger: "api" },
    ...{
      baseUrl: body.url ?? null,
      given: { files, changed, base_files, recordings: recordings?.names ?? null },
    },
  } as const;
  const numbered = { orgId, repository, number: body.pr };
  const told = isOwn
    ? await askForHead(deps, await findPullRequestByNumber(deps.store.records, numbered), request)
    : null;
  const id = await commit(deps, async (trx, after) => {
    await gateAlone(trx, { orgId, repository });
    const known = await findPullRequestByNumber(trx, numbered);
    const newer = await newerHead(trx, known, request, told);
    if (known && newer !== null) {
      const headRef = body.branch ?? known.head_ref;
      const isFork = body.is_fork === true || known.is_fork === 1;
      const wanted = { ...request, pullRequest: known, headRef, isFork };
      return auditGate(deps, trx, actor, await keepLateGate(deps, trx, after, wanted, newer));
    }
    const { row } = await keepPullRequest(
      deps,
      trx,
      { orgId, repository },
      {
        ...{ number: body.pr, title: body.title ?? known?.title ?? `Pull request ${body.pr}` },
        ...{ url: known?.url ?? null, author: body.author ?? known?.author ?? null },
        // What the host told of it, CI does not know better.
        state: known && known.host_updated_at > 0 ? known.state : "open",
        ...{ isMerged: known?.is_merged === 1, isDraft: known?.is_draft === 1 },
        isFork: body.is_fork === true || known?.is_fork === 1,
        ...{ headSha, headRef: body.branch ?? known?.head_ref ?? "", headRepository: null },
        // What the host tells later is news all the same.
        ...{ baseSha, baseRef: known?.base_ref ?? "", updatedAt: known?.host_updated_at ?? 0 },
      },
    );
    const wanted = { ...request, pullRequest: row, headRef: row.head_ref, isFork: row.is_fork === 1 };
    const open = (await gatesOfSame(trx, wanted)).find(({ status }) => !isEnded(status));
    if (open && open.trigger === "api") return open.id;
    if (recordings) await keepCommitRecordings(trx, recordings.packed, now);
    return auditGate(deps, trx, actor, await openGate(deps, trx, after, wanted));
  });
  return showGate(deps, actor, id);
}

/** Texts that are kept once, however many gates name them. They are looked into when the gate is planned. */
async function packRecordings(given: NonNullable<NewGate["recordings"]>) {
  const packed: CommitRecording[] = [];
  const names: { path: string; hash: string }[] = [];
  for (const { path, text } of given) {
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    names.push({ path, hash });
    packed.push({ hash, har: await Bun.zstdCompress(text, { level: 3 }) });
  }
  return { names, packed };
}

/** @throws AppError `validation_failed` */
function readHeadAt({ head_at }: NewGate, now: number): number | null {
  if (head_at === undefined) return null;
  const time = fromIso(head_at);
  if (time === null || time < 0) throw invalid('The body\'s field "head_at" must be an ISO 8601 time.');
  // Whoever made the commit may have a clock that is ahead: no later commit is to wait for it.
  return Math.min(time, now);
}

/** @returns the gate's id @throws AppError `conflict` when there is none: another began the same attempt */
async function auditGate(deps: Deps, trx: Trx, actor: Actor, gate: GateRow | null): Promise<string> {
  if (!gate)
    throw new AppError("conflict", "Another request began a gate of this commit at the same moment.");
  await auditAct(trx, actor, {
    ...{ at: deps.clock.now(), action: "gate.create", target: gate.id },
    detail: { repository: gate.repository, number: gate.pr_number, head_sha: gate.head_sha },
  });
  return gate.id;
}

async function ownRepository(deps: Deps, orgId: string): Promise<string | null> {
  return (await isFirstOrg(deps, orgId)) ? deps.config.settings.code_host.repository : null;
}

/** Judges the same commit once more. @throws AppError `conflict` while it is judged, or when it is no head any more */
export async function rerunGate(deps: Deps, actor: Actor, id: string): Promise<GateAnswer> {
  const gate = await requireGate(deps, actor, id);
  const again = await commit(deps, async (trx, after) => {
    await gateAlone(trx, { orgId: gate.org_id, repository: gate.repository });
    if ((await gatesOfSame(trx, purposeOf(gate))).some(({ status }) => !isEnded(status)))
      throw new AppError(
        "conflict",
        "The commit is being judged: it can be judged again when that has ended.",
      );
    const next = await judgeAgain(deps, trx, after, gate, "api");
    if (!next) throw new AppError("conflict", "The commit is not the head of an open pull request any more.");
    await auditAct(trx, actor, {
      ...{ at: deps.clock.now(), action: "gate.rerun", target: next.id },
      detail: { of: gate.id, head_sha: gate.head_sha },
    });
    return next;
  });
  return showGate(deps, actor, again.id);
}

/** @throws AppError `not_found`, `wrong_org` */
export async function showGate(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<GateAnswer> {
  const gate = await requireGate(deps, actor, id);
  const scenarios = await gateScenarios(deps.store.records, gate.id);
  const runs = new Map<string, RunRow>();
  const fixes = new Map<string, Fix>();
  for (const { slug, run_id, finding } of scenarios) {
    const run = run_id === null ? null : await findRun(deps.store.records, run_id);
    if (run) runs.set(run.id, run);
    const fix = finding === null ? null : await fixOf(deps, JSON.parse(finding) as Finding);
    if (fix) fixes.set(slug, fix);
  }
  return toGate(gate, scenarios, runs, fixes);
}

/** One page of the org's gates, newest first. @throws AppError naming the parameter */
export async function showGates(
  deps: Deps,
  { orgId }: Pick<Actor, "orgId">,
  query: GateListQuery,
): Promise<{ items: GateItem[]; next_cursor: string | null }> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const rows = await listGates(deps.store.records, {
    ...{ orgId, limit: limit + 1 },
    ...(query.repo !== undefined && { repository: query.repo }),
    ...(query.pr !== undefined && { number: query.pr }),
    ...(query.pull_request !== undefined && { pullRequestId: query.pull_request.toLowerCase() }),
    ...(query.head !== undefined && { headSha: query.head.toLowerCase() }),
    ...(query.status !== undefined && { status: query.status }),
    ...(query.cursor !== undefined && { after: readIdCursor(query.cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items: await itemsOf(deps, page), next_cursor: last ? writeIdCursor(last.id) : null };
}

export async function itemsOf(
  { store }: Pick<Deps, "store">,
  rows: readonly ListedGate[],
): Promise<GateItem[]> {
  const items: GateItem[] = [];
  for (const row of rows) items.push(toGateItem(row, await gateScenarios(store.records, row.id)));
  return items;
}

/** A gate as Markdown, as the pull request's comment has it, without its links to decide. */
export async function showReport(deps: Deps, actor: Actor, id: string): Promise<string> {
  const gate = await requireGate(deps, actor, id);
  return reportOf(await factsOf(deps, gate, null));
}

/**
 * The picture that a link of a gate's comment names.
 * @throws AppError `signature_invalid`, `not_found`
 */
export async function servePicture(deps: Deps, request: Request, token: string): Promise<Response> {
  const named = await deps.gateState.links.readPicture(token, deps.clock.now());
  if (!named) throw new AppError("signature_invalid", "The link was altered or has expired.");
  const { records } = deps.store;
  const gate = await findGate(records, named.gateId);
  const scenario = (await gateScenarios(records, named.gateId)).find(({ slug }) => slug === named.slug);
  const run = scenario?.run_id ? await findRun(records, scenario.run_id) : null;
  const trace = run?.trace_id ? await findTrace(records, run.trace_id) : null;
  if (!gate || !trace?.final_screenshot || !(await isOrgThere(records, gate.org_id)))
    throw notFound("The picture");
  return serveBlob(deps, request, trace, trace.final_screenshot);
}
