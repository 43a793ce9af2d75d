import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, errorText } from "../../api/request.ts";
import { useSignIn } from "../../ui/failing.ts";
import { formatWall } from "../../ui/format.ts";
import { ChevronLeft, Close, Tick } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { type AttemptAnswer, menderApi, pictureOf } from "./api.ts";
import { Patch } from "./patch.tsx";
import { Reject } from "./reject.tsx";
import { AttemptStatus, classSaid, classWord, percent } from "./signs.tsx";

const LOOK_EVERY_MS = 2000;
const LONGEST = 600;

const traceHref = (id: string, step: string | null): string =>
  `/traces/${id}${step ? `?step=${encodeURIComponent(step)}` : ""}`;

function Evidence({ evidence }: Pick<AttemptAnswer, "evidence">): JSX.Element | null {
  if (evidence.length === 0) return null;
  return (
    <section aria-label="Why">
      <h2 class="run-part-head">Why it thinks so</h2>
      <ul class="mender-evidence">
        {evidence.map(({ text, trace_id, step_id }, at) => (
          <li key={at}>
            <span class="captured">{block(text, LONGEST)}</span>{" "}
            {trace_id && (
              <a href={traceHref(trace_id, step_id)}>{step_id ? `step ${step_id.slice(1)}` : "trace"}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Picture({
  word,
  tone,
  traceId,
  none,
}: {
  word: string;
  tone: string;
  traceId: string | null;
  none: string;
}): JSX.Element {
  const { data } = useLoad(traceId, (signal) => pictureOf(traceId, signal));
  return (
    <figure class="incident-picture">
      <figcaption>
        <span class={tone}>{word}</span>
        {traceId && (
          <a class="dim" href={`/traces/${traceId}`}>
            its trace
          </a>
        )}
      </figcaption>
      {data ? (
        <a href={data} target="_blank" rel="noreferrer" title="Open the picture by itself">
          <img src={data} alt={`The page: ${word.toLowerCase()}`} />
        </a>
      ) : (
        <p class="dim">{none}</p>
      )}
    </figure>
  );
}

function calls(all: { method: string; url: string }[]): string {
  return all.map(({ method, url }) => `${method} ${oneLine(url, 120)}`).join(", ");
}

/** What was repeated, with the patch and without it. */
function Verified({ attempt }: { attempt: AttemptAnswer }): JSX.Element | null {
  const { verification, patch } = attempt;
  if (!verification) return null;
  const { status, trace_id, from_step, message, sent, left_out, unchanged } = verification;
  const said = {
    running: `It is being repeated from step ${from_step} with the patch.`,
    passed: `Repeated from step ${from_step} with the patch, the scenario passes to its end.`,
    failed: `Repeated from step ${from_step} with the patch, it does not do what it did. The patch is no fix.`,
    not_possible: patch ? "It could not be repeated with the patch." : "There was no patch to be tried.",
  }[status];
  return (
    <section aria-label="Verification">
      <h2 class="run-part-head">Verification</h2>
      <ul class="mender-evidence">
        <li>
          <span class={status === "passed" ? "is-passed" : ""}>{said}</span>{" "}
          {trace_id && <a href={`/traces/${trace_id}`}>its trace</a>}
          {message && patch && <p class="dim captured">{block(message, LONGEST)}</p>}
        </li>
        {unchanged && (
          <li>
            Without the patch it{" "}
            {
              { failed: "failed again", passed: "passed", unknown: "could not be repeated" }[
                unchanged.outcome
              ]
            }
            . {unchanged.trace_id && <a href={`/traces/${unchanged.trace_id}`}>that trace</a>}
          </li>
        )}
        {sent.length > 0 && <li class="dim captured">Sent again before: {calls(sent)}</li>}
        {left_out.length > 0 && <li class="dim captured">Not sent again: {calls(left_out)}</li>}
      </ul>
    </section>
  );
}

function Facts({ attempt }: { attempt: AttemptAnswer }): JSX.Element {
  const rows: (readonly [name: string, value: JSX.Element | string])[] = [
    // Nothing is known before it was looked at.
    ...(attempt.stage === "diagnosing"
      ? []
      : ([
          ["Kind", classWord(attempt.classification)],
          ["Sure", percent(attempt.confidence)],
        ] as const)),
    [
      "Failed",
      <a key="trace" href={`/traces/${attempt.trace_id}`}>
        the trace of it
      </a>,
    ],
    [
      "Run",
      <a key="run" href={`/runs/${attempt.run_id}`}>
        its page
      </a>,
    ],
    ["File", attempt.path],
    [
      "Made by",
      attempt.origin === "replay"
        ? "a person, from a replay"
        : attempt.origin === "model"
          ? "the configured model"
          : "rules",
    ],
    ...(attempt.tokens_used > 0
      ? [["Tokens", `${attempt.tokens_used.toLocaleString("en")} of a model`] as const]
      : []),
    ["Made", formatWall(attempt.created_at)],
    ...(attempt.pr_url && !attempt.pr_url.endsWith(`/mender/${attempt.id}`)
      ? [
          [
            "Pull request",
            <a key="pr" class="captured" href={attempt.pr_url} rel="noreferrer">
              {oneLine(attempt.pr_url.replace(/^https?:\/\//, ""), 60)}
            </a>,
          ] as const,
        ]
      : attempt.status === "applied"
        ? [["Branch", `tracedeck/fix-${attempt.id.slice(-12)}`] as const]
        : []),
    ...(attempt.reject_reason
      ? [
          [
            attempt.status === "applied" ? "Rejected while it was applied" : "Rejected",
            attempt.reject_reason,
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

function Body({ attempt }: { attempt: AttemptAnswer }): JSX.Element {
  const isLooking = attempt.stage === "diagnosing";
  return (
    <div class="incident-body">
      <div class="incident-main">
        <section class="incident-lead" aria-label="What broke">
          {!isLooking && <p class="cause-label">{classSaid(attempt.classification)}</p>}
          <p class="cause-headline captured">{block(attempt.summary, LONGEST)}</p>
        </section>
        {attempt.patch && (
          <section aria-label="Patch">
            <h2 class="run-part-head">The patch</h2>
            <div class="mender-patch">
              <Patch patch={attempt.patch} />
            </div>
          </section>
        )}
        <Verified attempt={attempt} />
        <div class="incident-lead">
          <div class="incident-pictures">
            <Picture
              word="When it failed"
              tone="is-failed"
              traceId={attempt.trace_id}
              none="No picture was taken."
            />
            {attempt.patch && (
              <Picture
                word={attempt.verification?.status === "passed" ? "With the patch" : "When it was tried"}
                tone={attempt.verification?.status === "passed" ? "is-passed" : "is-quiet"}
                traceId={attempt.verification?.trace_id ?? null}
                none="It was not repeated, or no picture was taken."
              />
            )}
          </div>
        </div>
      </div>
      <div class="incident-side">
        <Facts attempt={attempt} />
        <Evidence evidence={attempt.evidence} />
      </div>
    </div>
  );
}

/** One attempt: what broke and the patch first, then how it was verified and why it is thought so. */
export function AttemptPage({ id }: { id: string }): JSX.Element {
  const revision = useSignal(0);
  const isAsking = useSignal(false);
  const isBusy = useSignal(false);
  const { data, error } = useLoad(id, (signal) => menderApi.show(id, signal), revision.value);
  const reload = (): void => {
    revision.value += 1;
  };
  const isUnderWay = data !== null && data.stage !== "ended";
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(reload, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  const name = oneLine(data?.scenario_title || data?.scenario_slug || "Fix", 200);
  useEffect(() => {
    document.title = `${name} · Fix · Tracedeck`;
  }, [name]);
  useSignIn(error);
  const mayApply = data?.status === "verified" && data.stage === "ended";
  const mayReject =
    data !== null &&
    data.patch !== null &&
    data.stage === "ended" &&
    data.status !== "applied" &&
    data.status !== "rejected";

  async function apply(): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await menderApi.apply(id);
      reload();
    } catch (problem) {
      notify(errorText(problem), { isError: true });
    } finally {
      isBusy.value = false;
    }
  }
  useKeys([
    {
      keys: ["a"],
      label: "Apply",
      group: "Fix",
      run: () => {
        if (mayApply) void apply();
        return mayApply;
      },
    },
    {
      keys: ["x"],
      label: "Reject",
      group: "Fix",
      run: () => {
        isAsking.value = mayReject;
        return mayReject;
      },
    },
  ]);
  const body = (): JSX.Element => {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Message title="There is no such fix.">
          <a href="/mender">All fixes</a>
        </Message>
      );
    if (error) return <Failed error={error} retry={reload} />;
    return data ? <Body attempt={data} /> : <Loading label="Loading the fix" />;
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title run-title">
          <a class="icon-link" href="/mender" aria-label="All fixes" title="All fixes">
            <ChevronLeft />
          </a>
          {data && <AttemptStatus attempt={data} />}
          <h1 class="ellipsis captured" title={name}>
            {data ? <a href={`/scenarios/${data.scenario_slug}`}>{name}</a> : name}
          </h1>
          <div class="title-acts">
            {mayReject && (
              <button
                type="button"
                class="button"
                title="Reject ( x )"
                onClick={() => (isAsking.value = true)}
              >
                <Close /> Reject
              </button>
            )}
            {mayApply && (
              <button
                type="button"
                class="button is-primary"
                title="Apply ( a )"
                disabled={isBusy.value}
                onClick={() => void apply()}
              >
                <Tick /> Apply
              </button>
            )}
          </div>
        </div>
        {body()}
      </main>
      {isAsking.value && data && (
        <Reject
          id={id}
          onDone={() => {
            isAsking.value = false;
            reload();
          }}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  );
}
