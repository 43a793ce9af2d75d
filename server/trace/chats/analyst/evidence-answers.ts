import { codeBlock, codeSpan, text } from "../../format/markdown.ts";
import type { Meant } from "./intents.ts";
import {
  bullets,
  counted,
  dayOf,
  type Eyes,
  evented,
  numbered,
  requestLine,
  type Seen,
  seconds,
} from "./seen.ts";

/** Lines of a page that are shown at once. */
const TREE_LINES = 40;

/** Which requests failed. */
export async function requests({ see }: Eyes): Promise<string[]> {
  const answered = await see("list_requests");
  if (!answered.seen) return [`The requests cannot be read: ${answered.why}`];
  const { found, requests: list, answered: total, note } = answered.seen;
  const first = note === undefined ? "" : "the first ";
  if (found === 0)
    return [
      note === undefined
        ? `**No request failed:** all ${total} that are recorded were answered, none with a status from 400.`
        : `**Of the first ${total} answers none failed.** This run has more, which I did not look at.`,
    ];
  const cause = await see("get_cause");
  const usual = cause.seen?.also_when_passing.map(({ title }) => title) ?? [];
  const suspected = list.find(({ seq }) => cause.seen?.suspects[0]?.events.includes(seq));
  const worst =
    suspected ??
    list.find(({ status, error }) => error !== null || status === null || status >= 500) ??
    list[0]!;
  const detail = await see("get_request", { seq: worst.seq });
  return [
    `**${found} of ${first}${Math.max(total, found)} requests went wrong:**`,
    bullets(
      list
        .slice(0, 12)
        .map(
          (one) =>
            `${requestLine(one)}${one === suspected ? ", which the failure most likely comes from" : isUsual(one.url, usual) ? " (so it is when the test passes, too)" : ""}`,
        ),
    ),
    found > 12 ? `And ${found - 12} more.` : "",
    note === undefined ? "" : "This run has more requests, which I did not look at.",
    detail.seen?.answer
      ? `What ${evented(`${worst.method} ${worst.url}`.trim(), worst.seq)} answered:\n\n${codeBlock(detail.seen.answer.slice(0, 800))}`
      : "",
  ];
}

function isUsual(url: string, titles: readonly string[]): boolean {
  const path = URL.parse(url)?.pathname ?? "";
  return path.length > 1 && titles.some((title) => title.includes(path));
}

/** One request, by part of its address. */
export async function request({ see }: Eyes, { path }: Meant): Promise<string[]> {
  const wanted = (path ?? "").replace(/^https?:\/\/[^/]+/, "") || "/";
  const answered = await see("list_requests", { all: true, url: wanted.slice(0, 300) });
  if (!answered.seen) return [`The requests cannot be read: ${answered.why}`];
  const { requests: list, found } = answered.seen;
  if (list.length === 0)
    return [
      `**No request to ${codeSpan(wanted)} is recorded.** Ask “which requests failed?” or “which endpoints were called?” for those that are.`,
    ];
  const told =
    list.find(({ status, error }) => error !== null || status === null || status >= 400) ?? list[0]!;
  const detail = await see("get_request", { seq: told.seq });
  return [
    `**${found} ${found === 1 ? "request" : "requests"} to ${codeSpan(wanted)}:**`,
    bullets(list.slice(0, 10).map(requestLine)),
    detail.seen?.sent
      ? `${evented(`${told.method} ${told.url}`.trim(), told.seq)} sent:\n\n${codeBlock(detail.seen.sent.slice(0, 800))}`
      : "",
    detail.seen?.answer
      ? `It was answered with:\n\n${codeBlock(detail.seen.answer.slice(0, 1_200))}`
      : "No text was recorded of its answer.",
  ];
}

/** What the page showed. */
export async function page({ see }: Eyes, { step: number, text: wanted }: Meant): Promise<string[]> {
  const answered = await see("get_page", number === null ? {} : { step: number });
  if (!answered.seen) return [`I cannot say what the page showed: ${answered.why}`];
  const { step, title, url, tree, lines } = answered.seen;
  const alerts = tree.filter((line) => /\b(?:alert|dialog|status|heading)\b/.test(line)).slice(0, 6);
  const found =
    wanted === null ? [] : tree.filter((line) => line.toLowerCase().includes(wanted.toLowerCase()));
  return [
    `At ${numbered(step, title)} the page was at ${codeSpan(url)}.`,
    wanted === null
      ? ""
      : found.length > 0
        ? `“${text(wanted)}” stands there:\n\n${codeBlock(found.slice(0, 5).join("\n"))}`
        : `“${text(wanted)}” is not on it.`,
    alerts.length > 0
      ? `Headings and messages:\n\n${codeBlock(alerts.map((line) => line.trim()).join("\n"))}`
      : "",
    `What it showed, as roles and names:\n\n${codeBlock(tree.slice(0, TREE_LINES).join("\n"))}`,
    lines > TREE_LINES
      ? `That is ${Math.min(TREE_LINES, tree.length)} of ${lines} lines; the page itself is in the middle of the viewer at that step.`
      : "",
  ];
}

/** All steps. */
export async function steps({ see }: Eyes): Promise<string[]> {
  const answered = await see("list_steps");
  if (!answered.seen) return [`The steps cannot be listed: ${answered.why}`];
  const { total, duration_ms: took, failed_step: failed, slowest, steps: list } = answered.seen;
  const own = list.filter(({ is_part_of_another: isPart }) => !isPart);
  const at = own.findIndex(({ step }) => step >= (failed ?? 0));
  const from = failed === null ? 0 : Math.max(0, at - 12);
  return [
    `**${total} ${total === 1 ? "step" : "steps"} in ${seconds(took)}${failed === null ? "" : `; [step ${failed}](step:${failed}) failed`}.**`,
    bullets(
      own
        .slice(from, from + 16)
        .map(
          ({ step, title, status, duration_ms }) =>
            `[step ${step}](step:${step}) ${text(title)} — ${status === "failed" ? "**failed**" : status}, ${seconds(duration_ms)}`,
        ),
    ),
    slowest.length > 0
      ? `The slowest: ${slowest.map(({ step, title, duration_ms }) => `${numbered(step, title)} ${seconds(duration_ms)}`).join(", ")}.`
      : "",
  ];
}

/** One step. */
export async function step({ see }: Eyes, { step: number }: Meant): Promise<string[]> {
  const answered = await see("get_step", number === null ? {} : { step: number });
  if (!answered.seen) return [`I cannot tell of that step: ${answered.why}`];
  const { seen } = answered;
  return [
    `**${numbered(seen.step, seen.title)} ${seen.status} after ${seconds(seen.duration_ms)}.**`,
    seen.error === null ? "" : codeBlock(seen.error),
    seen.call_log.length > 0 ? `Its call log:\n\n${codeBlock(seen.call_log.join("\n"))}` : "",
    seen.requests.length > 0
      ? `Requests around it (${seen.requests_total}), failed ones first:\n\n${bullets(seen.requests.slice(0, 6).map(requestLine))}`
      : "No request went out around it.",
    seen.console.length > 0
      ? `Console:\n\n${bullets(seen.console.slice(0, 5).map(({ seq, level, text: line }) => `${evented(level, seq)}: ${text(line)}`))}`
      : "",
    seen.before.length > 0
      ? `Before it: ${seen.before.map((one) => numbered(one.step, one.title)).join(", ")}.`
      : "",
    seen.after.length > 0
      ? `After it: ${seen.after.map((one) => `${numbered(one.step, one.title)} ${one.status}`).join(", ")}.`
      : "",
  ];
}

/** The console. */
export async function consoleLines({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_console");
  if (!answered.seen) return [`The console cannot be read: ${answered.why}`];
  const { total, lines } = answered.seen;
  if (total === 0) {
    const all = await see("get_console", { all: true });
    const count = all.seen?.total ?? 0;
    if (count === 0) return ["**Nothing was logged.**"];
    return [
      `**No errors and no warnings;** ${count} other ${count === 1 ? "line" : "lines"}:`,
      bullets(
        (all.seen?.lines ?? [])
          .slice(0, 8)
          .map(({ seq, level, text: line }) => `${evented(level, seq)}: ${text(line)}`),
      ),
    ];
  }
  return [
    `**${total} ${total === 1 ? "error or warning" : "errors and warnings"} in the console:**`,
    bullets(lines.slice(0, 12).map(({ seq, level, text: line }) => `${evented(level, seq)}: ${text(line)}`)),
    total > 12 ? `And ${total - 12} more.` : "",
  ];
}

/** Where in the code. */
export async function code({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_source");
  if (!answered.seen) return [`I cannot say where in the code: ${answered.why}`];
  const { places, source } = answered.seen;
  const [first, ...rest] = places;
  return [
    first ? `**It failed at ${codeSpan(`${first.file}:${first.line}:${first.column}`)}.**` : "",
    source === null ? "The file itself was not recorded." : codeBlock(source),
    rest.length > 0
      ? `Called from:\n\n${bullets(rest.slice(0, 5).map(({ file, line }) => codeSpan(`${file}:${line}`)))}`
      : "",
  ];
}

/** Where a text stands. */
export async function search(eyes: Eyes, { text: wanted }: Meant): Promise<string[]> {
  if (wanted === null || wanted.trim() === "") return ["Name the text to look for, in quotes."];
  const answered = await eyes.see("search", { text: wanted.slice(0, 300) });
  if (!answered.seen) return [`I cannot search: ${answered.why}`];
  const { hits } = answered.seen;
  if (hits.length === 0)
    return [
      `**“${text(wanted)}” stands nowhere** in the events, the recorded pages and the bodies that could be searched.`,
    ];
  return [foundAt(eyes, wanted, hits.slice(0, 10))];
}

/** Where a text stands, with links. */
export const foundAt = (eyes: Eyes, wanted: string, hits: Seen["search"]["hits"]): string =>
  `**“${text(wanted)}” stands in ${counted(hits.length, "place")}:**\n\n${bullets(
    hits.map(
      ({ seq, kind, step_id: at, found_in, excerpt }) =>
        `${evented(kind, seq)}${found_in === "event" ? "" : ` (${text(found_in)})`}${at === null ? "" : ` at ${eyes.step(at)}`}: ${codeSpan(excerpt.slice(0, 160))}`,
    ),
  )}`;

/** What is known of the run itself. */
export async function environment({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_environment");
  if (!answered.seen) return [`I cannot say: ${answered.why}`];
  const {
    commit,
    region,
    pull_request,
    started_at,
    created_at,
    duration_ms,
    environment: known,
    warnings,
  } = answered.seen;
  const rows = [
    ["Commit", commit],
    ["Region", region],
    ["Pull request", pull_request === null ? null : String(pull_request)],
    ["Began", started_at === null ? null : `${dayOf(started_at)} UTC`],
    ["Recorded or uploaded", `${dayOf(created_at)} UTC`],
    ["Took", seconds(duration_ms)],
    ...Object.entries(known).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ] as const;
  return [
    bullets(
      rows
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => `${text(String(name))}: ${codeSpan(String(value))}`),
    ),
    warnings.length > 0 ? `Warnings of the recording: ${warnings.map(text).join("; ")}.` : "",
  ];
}
