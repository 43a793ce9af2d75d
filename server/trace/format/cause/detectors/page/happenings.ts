import { oneLine } from "../../../error-text.ts";
import { isBefore, isNew } from "../../compare.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Happening } from "../../run/run-facts.ts";
import type { CauseKind, Evidence, Finding } from "../../types.ts";
import { addressOf, bareOf, pathOf, quoted } from "../../words.ts";

const CRASH =
  /Target (?:page, context or browser has been closed|closed|crashed)|Page crashed|browser has (?:been closed|disconnected)|Browser closed|Navigation failed because page crashed|out of memory|SIGSEGV|SIGKILL/i;

/** What Playwright says of a navigation that became a download; engines call it aborted. */
const IS_DOWNLOAD = /Download is starting|net::ERR_ABORTED/;

/** What Playwright's `download.failure()` says. */
const BROKEN = /^"?(?:canceled|cancelled|failed|deleted|interrupted|net::\w+|download error)/i;

/** What findings about one dialog are about. */
export const aboutDialog = ({ seq }: Pick<Happening, "seq">): string => `dialog ${seq}`;

/** Dialogs, popups, downloads and crashes: what happens to a page as a whole. */
export function detectHappenings(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const { facts } = run;
  const findings: Finding[] = [];
  const crash = CRASH.exec(failed.message);
  const seq = failed.step?.seq ?? facts.lastSeq;
  const isCrash = crash !== null && /crash|memory|SIG/i.test(crash[0]);
  if (crash && seq !== null)
    findings.push({
      kind: "crash",
      title: isCrash ? "The page crashed" : "The page or the browser was closed while the step went on",
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: evidence.passes.length === 0 ? null : true,
      weight: isCrash ? 0.97 : 0.7,
    });
  for (const one of facts.happenings) {
    const told = isBefore(evidence, one.ts) ? tell(one.what, one.fields, evidence) : null;
    if (!told) continue;
    // A file may go by the day on which it was made.
    const plain = facts.normaliser.text(told.title);
    findings.push({
      kind: told.kind,
      title: told.title,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: one.ts,
      is_new: isNew(evidence, (pass) =>
        pass.facts.happenings.some((other) => {
          const same = other.what === one.what ? tell(other.what, other.fields, evidence) : null;
          return same !== null && facts.normaliser.text(same.title) === plain;
        }),
      ),
      weight: told.weight,
      ...(one.what === "dialog" && { about: aboutDialog(one) }),
    });
  }
  const download = facts.happenings.findLast(({ what, ts }) => what === "download" && isBefore(evidence, ts));
  if (download && IS_DOWNLOAD.test(failed.message) && download.ts >= failed.from)
    findings.push({
      kind: "download",
      title: `The address that the step opened is a download and no page: ${fileOf(download.fields, evidence)}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [download.seq],
      ts: download.ts,
      is_new: evidence.passes.length === 0 ? null : true,
      weight: 0.97,
    });
  if (download && failed.received !== null && BROKEN.test(failed.received))
    findings.push({
      kind: "download",
      title: `The download of ${fileOf(download.fields, evidence)} failed: ${quoted(bareOf(failed.received), 80)}`,
      detail: null,
      step_id: download.step_id,
      events: [download.seq],
      ts: download.ts,
      is_new: evidence.passes.length === 0 ? null : true,
      weight: 0.88,
    });
  return findings.slice(-50);
}

/** A download's name, and where it came from. */
function fileOf({ name, url }: Record<string, unknown>, { run }: Evidence): string {
  // A page calls what it made itself by another address each time.
  const isAddressed = typeof url === "string" && url !== "" && !/^(?:blob|data):/.test(url);
  const from = isAddressed ? ` (${addressOf(url, run.facts)})` : "";
  return `${quoted(typeof name === "string" && name !== "" ? name : "a file", 80)}${from}`;
}

/** A file that goes by its address, and by a name of its own in every pass, or for the test: the answer does not say it (RFC 6266). */
function calledByAddress(
  { name, url }: Record<string, unknown>,
  { run, passes, failed }: Evidence,
): { kind: CauseKind; title: string; weight: number } | null {
  if (typeof name !== "string" || typeof url !== "string" || !pathOf(url).endsWith(`/${name}`)) return null;
  // An error is saved under the address, too, and so is what never came.
  const isFailed = run.facts.exchanges.some((one) => one.url === url && isFailedExchange(one));
  if (isFailed || BROKEN.test(failed.received ?? "")) return null;
  const address = run.facts.normaliser.url(url);
  const names = passes.map(
    ({ facts }) =>
      facts.happenings.findLast(
        ({ what, fields }) =>
          what === "download" &&
          typeof fields.url === "string" &&
          facts.normaliser.url(fields.url) === address,
      )?.fields.name,
  );
  const told = `The browser called the download ${quoted(name, 80)} after its address (${addressOf(url, run.facts)})`;
  const why = ": the answer names no file in Content-Disposition";
  const [usual] = names;
  if (passes.length === 0 && bareOf(failed.received ?? "") === name && failed.expected !== null)
    return {
      kind: "download",
      title: `${told}, where the test wants ${quoted(bareOf(failed.expected), 80)}${why}`,
      weight: 0.86,
    };
  if (typeof usual !== "string" || names.some((one) => typeof one !== "string" || one === name)) return null;
  return {
    kind: "download",
    title: `${told}, where the last pass had ${quoted(usual, 80)}${why}`,
    weight: 0.9,
  };
}

function tell(
  what: string,
  fields: Record<string, unknown>,
  evidence: Evidence,
): { kind: CauseKind; title: string; weight: number } | null {
  const text = (name: string) => (typeof fields[name] === "string" ? oneLine(fields[name]) : "");
  const where = text("url") === "" ? "" : ` (${addressOf(text("url"), evidence.run.facts)})`;
  if (what === "dialog")
    return {
      kind: "dialog",
      title: `The page opened ${text("type") === "beforeunload" ? "a question whether to leave it" : `the dialog ${text("type") || "alert"}`}${text("message") ? `: ${quoted(text("message"))}` : ""}`,
      weight: 0.87,
    };
  if (what === "popup") return { kind: "popup", title: `The page opened another page${where}`, weight: 0.72 };
  if (what === "download")
    return (
      calledByAddress(fields, evidence) ?? {
        kind: "download",
        title: `The browser downloaded ${fileOf(fields, evidence)}`,
        weight: 0.72,
      }
    );
  if (what === "crash") return { kind: "crash", title: "The page crashed", weight: 0.97 };
  if (what === "closed") return { kind: "crash", title: "The page was closed", weight: 0.68 };
  return null;
}
