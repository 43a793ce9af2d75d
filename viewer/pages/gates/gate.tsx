import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, errorText } from "../../api/request.ts";
import { query } from "../../router.ts";
import { useSignIn } from "../../ui/failing.ts";
import { formatAge, formatWall } from "../../ui/format.ts";
import { ChevronLeft, Tick } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { followNews } from "../../ui/news.ts";
import { SiteBar } from "../../ui/site-bar.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { type GateAnswer, gatesApi, type PullRequestDetail } from "./api.ts";
import { Failure, Others, Problems } from "./scenarios.tsx";
import { GateStatus, shortSha } from "./signs.tsx";

const SETTLE_MS = 300;

function Facts({ gate, pull }: { gate: GateAnswer; pull: PullRequestDetail | null }): JSX.Element {
  const rows: (readonly [name: string, value: JSX.Element | string])[] = [
    ["Repository", gate.repo],
    ...(pull?.url
      ? [
          [
            "At the host",
            <a key="host" href={pull.url} rel="noreferrer" target="_blank">
              Pull request #{pull.number}
            </a>,
          ] as const,
        ]
      : []),
    ...(pull?.author ? [["Author", oneLine(pull.author, 100)] as const] : []),
    [
      "Commit",
      <span key="sha" class="mono">
        {gate.head_sha.slice(0, 12)}
      </span>,
    ],
    ...(gate.kind === "merge_group"
      ? [["Merge queue", gate.pr_number === null ? "of the repository" : `for #${gate.pr_number}`] as const]
      : []),
    ...(gate.head_ref
      ? [["Branch", oneLine(gate.head_ref.replace(/^refs\/heads\//, ""), 200)] as const]
      : []),
    ...(gate.is_fork ? [["From a fork", "its code gets no secrets"] as const] : []),
    ...(gate.base_url
      ? [
          [
            "Tried at",
            <a key="at" class="captured" href={gate.base_url} rel="noreferrer" target="_blank">
              {oneLine(gate.base_url, 200)}
            </a>,
          ] as const,
        ]
      : []),
    ["Begun", formatWall(gate.created_at)],
    ...(gate.status === "waiting" && gate.wait_until
      ? [["Waits until", formatWall(gate.wait_until)] as const]
      : []),
    ...(gate.ended_at ? [["Ended", formatWall(gate.ended_at)] as const] : []),
    ...(gate.decided_by
      ? [
          [
            gate.decision === "approved" ? "Approved" : "Rejected",
            `by ${oneLine(gate.decided_by, 100)}, ${gate.decided_at === null ? "" : formatWall(gate.decided_at)}`,
          ] as const,
        ]
      : []),
  ];
  return (
    <dl class="run-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt class="dim">{name}</dt>
          <dd class="captured">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Past({ pull, shown }: { pull: PullRequestDetail; shown: string }): JSX.Element {
  const now = useNow(false);
  return (
    <section aria-label="Commits">
      <h2 class="run-part-head">Commits</h2>
      <ul class="gate-past">
        {pull.gates.map((gate) => (
          <li key={gate.id} class={gate.id === shown ? "is-shown" : ""}>
            <GateStatus gate={gate} />
            <a
              class="mono"
              href={`/pull-requests/${pull.id}?gate=${gate.id}`}
              aria-current={gate.id === shown ? "true" : undefined}
            >
              {shortSha(gate.head_sha)}
            </a>
            <span class="dim">{gate.attempt > 1 ? `attempt ${gate.attempt}` : ""}</span>
            <span class="dim num" title={formatWall(gate.created_at)}>
              {formatAge(gate.created_at, now)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Verdict({ gate }: { gate: GateAnswer }): JSX.Element {
  const words: Partial<Record<GateAnswer["status"], string>> = {
    queued: "Finding out what the change concerns.",
    waiting: "Waiting for a preview of the commit.",
    running: "The scenarios run.",
  };
  return <p class="gate-verdict captured">{block(gate.reason ?? words[gate.status] ?? "", 600)}</p>;
}

function Body({ gate, pull }: { gate: GateAnswer; pull: PullRequestDetail | null }): JSX.Element {
  const bad = gate.scenarios
    .filter(({ finding }) => finding !== null && finding.outcome !== "passed")
    .toSorted((a, b) => Number(b.finding!.blocks) - Number(a.finding!.blocks));
  const rest = gate.scenarios.filter((one) => !bad.includes(one));
  return (
    <div class="incident-body">
      <div class="incident-main">
        <Verdict gate={gate} />
        <Problems gate={gate} />
        {bad.map((scenario) => (
          <Failure key={`${gate.id} ${scenario.slug}`} scenario={scenario} />
        ))}
        <Others scenarios={rest} isAll={bad.length === 0} />
      </div>
      <div class="incident-side">
        <Facts gate={gate} pull={pull} />
        {pull && <Past pull={pull} shown={gate.id} />}
      </div>
    </div>
  );
}

function Acts({ gate, onDone }: { gate: GateAnswer; onDone: () => void }): JSX.Element {
  const isOver = ["passed", "failed", "error"].includes(gate.status);
  const mayDecide = isOver && gate.decision === null;
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      onDone();
    } catch (problem) {
      notify(errorText(problem), { isError: true });
    }
  };
  return (
    <>
      {isOver && (
        <button type="button" class="button" onClick={() => void act(() => gatesApi.rerun(gate.id))}>
          Judge again
        </button>
      )}
      {mayDecide && (
        <button
          type="button"
          class="button"
          onClick={() => void act(() => gatesApi.decide(gate.id, "reject"))}
        >
          Reject
        </button>
      )}
      {mayDecide && gate.status !== "passed" && (
        <button
          type="button"
          class="button is-primary"
          onClick={() => void act(() => gatesApi.decide(gate.id, "approve"))}
        >
          <Tick /> Approve
        </button>
      )}
    </>
  );
}

/** A pull request with one of its gates, the newest unless the address says another; or a gate by itself. */
export function GatePage(asked: { pullRequestId: string } | { gateId: string }): JSX.Element {
  const revision = useSignal(0);
  const reload = (): void => {
    revision.value += 1;
  };
  const key = "gateId" in asked ? asked.gateId : `${asked.pullRequestId} ${query.value.get("gate") ?? ""}`;
  const { data, error } = useLoad(
    key,
    async (signal) => {
      if ("gateId" in asked) {
        const gate = await gatesApi.gate(asked.gateId, signal);
        const pullId = gate.pull_request_id;
        return { gate, pull: pullId === null ? null : await gatesApi.pullRequest(pullId, signal) };
      }
      const pull = await gatesApi.pullRequest(asked.pullRequestId, signal);
      const wanted = query.value.get("gate");
      const id = pull.gates.find((one) => one.id === wanted)?.id ?? pull.gate?.id ?? null;
      return { pull, gate: id === null ? null : await gatesApi.gate(id, signal) };
    },
    revision.value,
  );
  useEffect(() => followNews("/v1/gates/live", { settleMs: SETTLE_MS, onNews: reload }), [key]);
  const { pull = null, gate = null } = data ?? {};
  const name = pull
    ? `#${pull.number} ${oneLine(pull.title, 200)}`
    : gate
      ? `Commit ${shortSha(gate.head_sha)}`
      : "Pull request";
  useEffect(() => {
    document.title = `${name} · Gate · Tracedeck`;
  }, [name]);
  useSignIn(error);
  const body = (): JSX.Element => {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Message title="There is no such pull request.">
          <a href="/pull-requests">All pull requests</a>
        </Message>
      );
    if (error) return <Failed error={error} retry={reload} />;
    if (!data) return <Loading label="Loading the pull request" />;
    if (!gate) return <Message title="No commit of this pull request has been judged." />;
    return <Body gate={gate} pull={pull} />;
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title run-title">
          <a class="icon-link" href="/pull-requests" aria-label="All pull requests" title="All pull requests">
            <ChevronLeft />
          </a>
          {gate && <GateStatus gate={gate} />}
          <h1 class="ellipsis captured" title={name}>
            {name}
          </h1>
          <div class="title-acts">{gate && <Acts gate={gate} onDone={reload} />}</div>
        </div>
        {body()}
      </main>
    </div>
  );
}
