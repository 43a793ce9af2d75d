import { wantedOn } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

const OF_PICTURES = /toHaveScreenshot|toMatchSnapshot\(|pixels \(ratio|Expected an image/;
const MOST_TEXTS = 3;

/** A picture of the page that is another one than the kept: what the browser was set up with, or what the page shows in it. */
export function detectPictures(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null || passes.length === 0 || !OF_PICTURES.test(`${failed.message} ${failed.title}`))
    return [];
  const shared = {
    detail: null,
    step_id: failed.step?.step_id ?? null,
    ts: failed.to,
    is_new: true,
  };
  const setUp = setUpOtherwise(evidence);
  if (setUp !== null) return [{ ...shared, kind: "page_changed", title: setUp, events: [seq], weight: 0.9 }];
  const shown = textsOf(evidence, run);
  const theirs = passes.map((pass) => textsOf(evidence, pass));
  const come = shown.filter((text) => theirs.every((texts) => !texts.includes(text)));
  const gone = theirs[0]!.filter(
    (text) => !shown.includes(text) && theirs.every((texts) => texts.includes(text)),
  );
  if (come.length + gone.length === 0 || theirs.some((texts) => texts.length === 0)) return [];
  const list = (texts: string[]) =>
    texts
      .slice(0, MOST_TEXTS)
      .map((text) => quoted(text, 60))
      .join(", ");
  const title =
    come.length === 0
      ? `The picture differs: the page lacks ${list(gone)} there, which it shows in the last pass`
      : `The picture differs: the page shows ${list(come)} there${gone.length === 0 ? ", which it has not in the last pass" : `, where it shows ${list(gone)} in the last pass`}`;
  return [
    {
      ...shared,
      kind: "page_changed",
      title,
      events: run.page ? [seq, run.page.shot.seq] : [seq],
      weight: 0.86,
    },
  ];
}

const SET_UP: [string, string][] = [
  ["device_scale_factor", "device scale factor"],
  ["viewport", "window"],
  ["browser", "browser"],
  ["platform", "platform"],
];

/** What the browser was set up with that none of the passes had. */
function setUpOtherwise({ run, passes }: Evidence): string | null {
  for (const [name, words] of SET_UP) {
    const now = run.environment[name] ?? null;
    if (passes.some(({ environment }) => (environment[name] ?? null) === now)) continue;
    const told = (value: unknown) => (value == null ? "none" : quoted(String(value), 60));
    return `The picture was taken with another ${words}: ${told(now)}, in the last pass ${told(passes[0]!.environment[name])}`;
  }
  return null;
}

/** What can be read in the part of the page that was pictured. */
function textsOf(evidence: Evidence, { page }: RunEvidence): string[] {
  const elements = page?.elements ?? [];
  const [target] = wantedOn(evidence, elements);
  return (target ? [target, ...insideOf(elements, target)] : elements).flatMap(({ own, isHidden }) =>
    isHidden || own.trim() === "" ? [] : [own.trim()],
  );
}
