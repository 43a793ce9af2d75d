import type { CauseKind, Suspect } from "../../trace/format/cause/types.ts";
import { mendPlace, mendRequest } from "./rules/address.ts";
import { type Found, mendElement } from "./rules/element.ts";
import { mendFlow } from "./rules/flow.ts";
import { mendSource } from "./rules/source.ts";
import { mendText } from "./rules/text.ts";
import type { Classification, Diagnosis, EvidenceLine, Failure, Mending } from "./types.ts";

/** What only the network, or a service behind it, does. */
const NETWORK = new Set<CauseKind>(["request_failed", "browser_policy", "websocket_closed", "stream_ended"]);
/** What the application itself did wrong. */
const BROKEN = new Set<CauseKind>(["page_error", "script_failed", "crash", "out_of_order", "stale_answer"]);
/** What also follows where a scenario has not taken a step that is new: it counts where nothing else is found. */
const ASTRAY = new Set<CauseKind>(["request_unsent", "request_repeated", "redirected", "page_message"]);
const SLOW = new Set<CauseKind>(["request_pending", "slow"]);

/** A suspect that is less likely does not keep a scenario from being mended. */
const STRONG = 0.6;
const MOST_EVIDENCE = 12;

/**
 * What a failure is, and what of the scenario may be changed for it. Whatever speaks for a fault of the application, its network
 * or its speed comes first: then nothing of the scenario is changed.
 */
export function diagnose(failure: Failure): Diagnosis {
  const against = blame(failure);
  if (against)
    return withSuspects(failure, { ...against, isBlamed: true, mendings: sourceOf(against, failure) });
  const flaky = flakiness(failure);
  const tried = [mendElement, mendText, mendRequest, mendPlace, mendFlow].map((rule) => rule(failure));
  const mendings = tried.flatMap((found) => (found && "mending" in found ? [found.mending] : []));
  const [best] = mendings;
  if (flaky && (!best || flaky.confidence > best.confidence))
    return withSuspects(failure, { ...flaky, isBlamed: true, mendings: [] });
  if (best)
    return {
      classification: best.kind,
      confidence: best.confidence,
      isBlamed: false,
      summary: capital(best.summary),
      evidence: bounded([...best.evidence, ...suspectsOf(failure).slice(0, 2)]),
      mendings: mendings.map((mending) => ({
        ...mending,
        summary: capital(mending.summary),
        evidence: bounded(mending.evidence),
      })),
    };
  const said = withoutMending(failure, tried);
  return withSuspects(failure, { ...said, isBlamed: false, mendings: sourceOf(said, failure) });
}

/** A request that is refused may be one that the application's script asks wrongly. */
const OF_SOURCE: ReadonlySet<Classification> = new Set(["app_regression", "network_failure"]);

/** Only what the application does wrong may be mended in its source. */
function sourceOf({ classification }: Said, failure: Failure): Mending[] {
  const mending = OF_SOURCE.has(classification) ? mendSource(failure) : null;
  return mending ? [{ ...mending, evidence: bounded(mending.evidence) }] : [];
}

type Said = Pick<Diagnosis, "classification" | "confidence" | "summary" | "evidence">;

/** What, other than the scenario, is to blame; null when nothing is found that surely is. */
function blame({ cause, step }: Failure): Said | null {
  const suspect = cause.suspects.find(({ confidence, is_new }) => confidence >= STRONG && is_new !== false);
  const strong = cause.suspects.filter(
    ({ confidence, is_new }) =>
      confidence >= STRONG && is_new !== false && confidence >= (suspect?.confidence ?? 0) - 0.25,
  );
  const find = (kinds: ReadonlySet<CauseKind>) => strong.find(({ kind }) => kinds.has(kind));
  const say = (classification: Classification, found: Suspect): Said => ({
    classification,
    confidence: found.confidence,
    summary: sentence(found.title),
    evidence: [lineOf(found, step.id)],
  });
  const injected = strong.find(({ kind }) => kind === "injected_fault");
  if (injected) return say("unknown", injected);
  const network = find(NETWORK);
  if (network) return say("network_failure", network);
  const broken = find(BROKEN);
  if (broken) return say("app_regression", broken);
  const slow = find(SLOW);
  return slow ? say("timing", slow) : null;
}

/** How often it failed and passed in turn of late, of the same commit as far as that is known. */
function flakiness({ history, codeSha, step }: Failure): Said | null {
  const own = history.filter((past) => codeSha === null || past.codeSha === null || past.codeSha === codeSha);
  const recent = own.slice(0, 12);
  const same = recent.filter(({ status, isSame }) => status === "failed" && isSame).length;
  const turns = recent.filter((past, at) => at > 0 && past.status !== recent[at - 1]!.status).length;
  // A failure that was followed by a pass went away by itself, and one that came back after it as well.
  const healed = recent.findIndex(({ status }) => status === "passed");
  const before = recent
    .slice(healed + 1)
    .filter(({ status, isSame }) => status === "failed" && isSame).length;
  if (healed !== 0 || before < 1 || turns < 2) return null;
  return {
    classification: "flake",
    confidence: Math.min(0.9, 0.55 + 0.1 * before + 0.03 * turns),
    summary: `It failed alike ${same} times in the last ${recent.length} runs, with passes in between and without a change.`,
    evidence: [
      {
        text: `Of the last ${recent.length} runs ${recent.filter(({ status }) => status === "failed").length} failed, and the result changed ${turns} times.`,
        step_id: step.id,
        events: [],
        of: "run",
      },
    ],
  };
}

/** What a failure without any mending is. */
function withoutMending({ cause, pass, step, message }: Failure, tried: readonly Found[]): Said {
  const astray = cause.suspects.find(
    ({ kind, confidence, is_new }) => ASTRAY.has(kind) && confidence >= STRONG && is_new !== false,
  );
  const reasons = tried.flatMap((found) => (found && "why" in found ? [found.why] : []));
  const evidence: EvidenceLine[] = reasons.map((text) => ({ text, step_id: step.id, events: [], of: "run" }));
  const [first] = cause.suspects;
  if (first && SLOW.has(first.kind))
    return {
      classification: "timing",
      confidence: first.confidence,
      summary: sentence(first.title),
      evidence,
    };
  if (astray)
    return {
      classification: "app_regression",
      confidence: astray.confidence,
      summary: sentence(astray.title),
      evidence,
    };
  if (!pass)
    return {
      classification: "unknown",
      confidence: 0.3,
      summary:
        "There is no pass to compare with, so that it cannot be told whether the scenario or the application is wrong.",
      evidence,
    };
  const isExpected = step.action.verb === "expect";
  return {
    classification: "app_regression",
    confidence: isExpected ? 0.7 : 0.6,
    summary: isExpected
      ? `The application no longer does what step ${step.index} expects: ${sentence(message)}`
      : `What step ${step.index} needs is gone: ${sentence(message)}`,
    evidence,
  };
}

function withSuspects(failure: Failure, said: Diagnosis): Diagnosis {
  const known = new Set(said.evidence.map(({ text }) => text));
  const more = suspectsOf(failure).filter(({ text }) => !known.has(text));
  return { ...said, evidence: bounded([...said.evidence, ...more.slice(0, 3)]) };
}

const suspectsOf = ({ cause, step }: Failure): EvidenceLine[] =>
  cause.suspects.map((suspect) => lineOf(suspect, step.id));

const lineOf = ({ title, step_id, events }: Suspect, stepId: string): EvidenceLine => ({
  text: sentence(title),
  step_id: step_id ?? stepId,
  events: events.slice(0, 5),
  of: "run",
});

const sentence = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim().slice(0, 400);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
};

const bounded = (lines: EvidenceLine[]): EvidenceLine[] =>
  lines.slice(0, MOST_EVIDENCE).map((line) => ({ ...line, text: capital(line.text.slice(0, 600)) }));

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
