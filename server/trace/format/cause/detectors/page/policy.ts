import { cut, headline, oneLine } from "../../../error-text.ts";
import { isBefore, isNew } from "../../compare.ts";
import { isConsole, lineKey } from "../../run/keys.ts";
import type { Line, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, headerOf, isForeign, isTracker } from "../../words.ts";

const RULES: {
  pattern: RegExp;
  say: (address: string) => string;
  /** What of the line says more than the sentence does: the whole of it where this is left out, nothing where it is null. */
  reason?: RegExp | null;
  weight?: number;
}[] = [
  {
    pattern: /blocked by CORS policy|Cross-Origin Request Blocked|Access-Control-Allow-Origin/i,
    say: (address) => `The browser blocked the answer of ${address} by CORS`,
    reason:
      /blocked by CORS policy: (?:Response to preflight request doesn't pass access control check: )?(.+?)(?:\. |\.?$)/,
  },
  {
    pattern: /Content Security Policy|violates the following.*directive|content-security-policy/i,
    say: (address) => `The page's Content-Security-Policy blocked ${address}`,
    reason: /directive:? ["'“]([^"”]+)["”]/,
  },
  {
    pattern: /Refused to (?:display|frame)|X-Frame-Options/i,
    say: (address) => `The browser refused to show ${address} in a frame`,
  },
  {
    pattern: /Mixed Content/i,
    say: (address) =>
      `The browser blocked ${address} as mixed content: a page that came over https asked for it over http`,
    reason: null,
  },
  {
    pattern: /ERR_CERT|certificate/i,
    say: (address) => `The certificate of ${address} was refused`,
  },
  {
    pattern:
      /MIME type .* is not (?:executable|a supported stylesheet)|Refused to (?:execute script|apply style)|Expected a JavaScript(?:-or-Wasm)? module script/i,
    say: (address) =>
      `The browser refused to use ${address}, as its type is not that of a script or style sheet`,
    reason: /MIME type (?:of )?\(?['"‘“]([^'"‘“’”]+)['"’”]/,
  },
  {
    pattern: /EventSource's response has a (?:MIME type|charset)/i,
    say: (address) => `The browser refused the event stream ${address}`,
    reason: /response has (a (?:MIME type|charset) .+?)\. Aborting/,
  },
  {
    pattern: /Blocked opening/i,
    say: (address) =>
      `The browser did not open ${address === "it" ? "a new window" : `a new window for ${address}`}`,
    reason: /because (.+?)\.?$/,
    weight: 0.85,
  },
  {
    pattern:
      /Blocked (?:form submission|autofocusing|script execution)|popup.{0,200}blocked|sandboxed|Permissions[- ]Policy.{0,200}(?:violat|block|allowed)|(?:violat|block|allowed).{0,200}Permissions[- ]Policy|download.{0,200}(?:blocked|disallowed)/i,
    say: (address) => `The browser refused it${address === "it" ? "" : ` (${address})`}`,
    weight: 0.85,
  },
  {
    pattern: /Failed to find a valid digest in the 'integrity'/i,
    say: (address) =>
      `The browser refused ${address}: its content does not match the integrity attribute (a digest) in the page, so one of the two is of another release`,
    reason: null,
  },
];

const TYPE = /MIME type/;

const isFailedAt = (url: string, { exchanges }: RunFacts): boolean =>
  exchanges.some((one) => one.url === url && (one.status ?? 0) >= 400);

/** Where the browser sends its readers: nothing of the page's. */
const ADVICE = /\b(?:See|Learn more|More info)\b[\w :]{0,200} https?:\/\/.*$/is;

/** A header that runs of scenarios send for their own sake, and what to do about it. */
const OF_RUNS = /Request header field x-synthetic-source\b/i;
const BY_RUNS =
  "; every run of a scenario sends it, but for the origins in `synthetic.exclude_origins` of settings.json";

/** What the browser refused by a rule of the web, told in the console. */
export function detectPolicy(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  return facts.lines
    .filter((line) => isConsole(line) && isBefore(evidence, line.ts))
    .slice(-2_000)
    .flatMap((line) => findingsOf(evidence, line));
}

function findingsOf(evidence: Evidence, line: Line): Finding[] {
  const rule = RULES.find(({ pattern }) => pattern.test(line.text));
  if (!rule || /^\[?Report Only/i.test(line.text)) return [];
  const { facts } = evidence.run;
  const text = line.text.replace(ADVICE, "").trimEnd();
  // Of a script with the type of a page the line's place alone tells which.
  const stated = blockedUrl(text) ?? (TYPE.test(text) ? line.url : null);
  const url = /EventSource/.test(line.text)
    ? streamBefore(evidence, line)
    : /X-Frame-Options|in a frame/i.test(line.text)
      ? framedUrl(evidence, stated)
      : stated;
  // An error has a page for its content: that it was answered so is the cause, and is told by itself.
  if (TYPE.test(text) && url !== null && isFailedAt(url, facts)) return [];
  const isScript = /script|stylesheet|style sheet/i.test(rule.say(""));
  return [
    {
      kind: isScript ? "script_failed" : "browser_policy",
      title: `${rule.say(url === null ? "it" : addressOf(url, facts))}${rule.reason === null ? "" : `: ${reasonOf(text, rule.reason)}`}${OF_RUNS.test(text) ? BY_RUNS : ""}`,
      detail: line.text,
      step_id: line.step_id,
      events: [line.seq],
      ts: line.ts,
      is_new: isNew(evidence, (pass) => pass.facts.hasLine(lineKey(line, facts))),
      weight: (rule.weight ?? 0.95) * (url !== null && isForeign(url, facts) ? 0.97 : 1),
      isOwn: url === null || !isTracker(url),
      ...(url !== null && { about: aboutUrl(url, facts) }),
    },
  ];
}

/** Why it was refused, without the browser's advice. */
function reasonOf(text: string, pattern: RegExp | undefined): string {
  const reason = pattern && oneLine(pattern.exec(text)?.[1] ?? "");
  return reason ? cut(reason, 140) : oneLine(headline(text, 220));
}

/** The line of a stream that was refused names the script that asked for it. */
const streamBefore = ({ run: { facts } }: Evidence, { ts }: Line): string | null =>
  facts.exchanges.findLast((one) => one.type === "eventsource" && one.ts <= ts)?.url ?? null;

/** Of a page that may not be framed the line names the origin alone. */
function framedUrl({ run }: Evidence, stated: string | null): string | null {
  const origin = stated && URL.parse(stated)?.origin;
  const framed = run.facts.exchanges.find(
    ({ url, headers }) =>
      URL.parse(url)?.origin === origin &&
      (headerOf(headers, "x-frame-options") !== null ||
        /frame-ancestors/.test(headerOf(headers, "content-security-policy") ?? "")),
  );
  return framed?.url ?? stated;
}

/** The address that was refused: the last absolute one of a CORS or CSP line is often the policy's own. */
function blockedUrl(text: string): string | null {
  const stated =
    /(?:Access to (?:\w+) at|resource at|Refused to \w+(?: the)?(?: \w+){0,4}?|requested an insecure [\w ]{1,60}|load (?:the )?(?:\w+ )?|script from|style from)\s*['"‘“]([^'"‘“’”]+)['"’”]/i.exec(
      text,
    )?.[1] ??
    /['"‘“]((?:https?|wss?):\/\/[^'"‘“’”\s]+)['"’”]/.exec(text)?.[1] ??
    // A sentence ends behind it.
    /((?:https?|wss?):\/\/[^\s'"<>()]+?)[.,;:]?(?=[\s'"<>()]|$)/.exec(text)?.[1];
  return stated && URL.canParse(stated) ? stated : null;
}
