import { XMLParser } from "fast-xml-parser";
import { fromIso, toIso } from "../../../platform/clock.ts";
import type { ReportedResult, ReportedRun } from "../test-run.ts";
import { checkCount, numberApart, ReportError, statusOfTests, textOf } from "./common.ts";

type Element = Record<string, unknown>;

const SEPARATOR = " › ";
const CASE = "<testcase";
/** Runs again in one attempt (Maven's Surefire), beside what the last one was. */
const EARLIER = ["flakyFailure", "flakyError"] as const;
const LATER = ["rerunFailure", "rerunError"] as const;

const LISTED = new Set([
  "testsuite",
  "testcase",
  "failure",
  "error",
  "skipped",
  "property",
  ...EARLIER,
  ...LATER,
]);
const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  parseTagValue: false,
  parseAttributeValue: false,
  alwaysCreateTextNode: true,
  trimValues: false,
  // The parser reads numeric character references with HTML's names alone, which no file of XML has.
  htmlEntities: true,
  isArray: (name) => LISTED.has(name),
});
/**
 * Reads a JUnit XML file, of Playwright or of others: `testsuite` in `testsuites` or alone, nested as they come.
 * @param now epoch ms, where the file names no time
 * @throws ReportError
 */
export function readJunit(xml: string, now: number): ReportedRun {
  // Nobody's report has one, and its entities could be anything.
  if (/<!DOCTYPE/i.test(xml))
    throw new ReportError("is XML with a document type, which a JUnit file has not.");
  // Before the parser makes objects of them.
  let cases = 0;
  for (let at = xml.indexOf(CASE); at !== -1; at = xml.indexOf(CASE, at + CASE.length)) checkCount(++cases);
  let document: Element;
  try {
    document = PARSER.parse(xml, true) as Element;
  } catch (error) {
    throw new ReportError(`is no XML that can be read: ${error instanceof Error ? error.message : error}`);
  }
  const root = document.testsuites as Element | undefined;
  const suites = [...elements(root, "testsuite"), ...elements(document, "testsuite")];
  if (root === undefined && suites.length === 0)
    throw new ReportError("is XML, but no JUnit file: it has no `testsuites` or `testsuite`.");
  const results: ReportedResult[] = [];
  const reading: Reading = { now, results, hasProjects: isOfPlaywright(root, suites) };
  for (const suite of suites) takeSuite(suite, {}, reading);
  const starts = results.map(({ started_at }) => Date.parse(started_at));
  const started = starts.reduce((least, one) => Math.min(least, one), starts[0] ?? now);
  const seconds = root ? attribute(root, "time") : null;
  const sum = results.reduce((total, { duration_ms }) => total + duration_ms, 0);
  return {
    results: numberApart(results),
    started_at: toIso(started),
    ended_at: toIso(started + (seconds === null ? sum : milliseconds(seconds))),
    status: statusOfTests(results),
    ...{ shard: null, branch: null, commit_sha: null, ci_url: null, warnings: [] },
  };
}

interface Reading {
  /** Epoch ms, where the file names no time. */
  now: number;
  results: ReportedResult[];
  /** Whether `hostname` is the project; of others it is the machine, which is another one every time. */
  hasProjects: boolean;
}

/** Whether Playwright wrote the file: it alone identifies the whole, and names each test's class after its suite. */
function isOfPlaywright(root: Element | undefined, suites: Element[]): boolean {
  if (!root || !("@id" in root && "@name" in root)) return false;
  return suites.every((suite) =>
    elements(suite, "testcase").every((test) => attribute(test, "classname") === attribute(suite, "name")),
  );
}

interface Around {
  file?: string | null;
  hostname?: string | null;
  timestamp?: string | null;
}

function takeSuite(suite: Element, around: Around, reading: Reading): void {
  const own: Around = {
    file: attribute(suite, "file") ?? around.file ?? null,
    hostname: attribute(suite, "hostname") ?? around.hostname ?? null,
    timestamp: attribute(suite, "timestamp") ?? around.timestamp ?? null,
  };
  for (const inner of elements(suite, "testsuite")) takeSuite(inner, own, reading);
  for (const test of elements(suite, "testcase")) takeTest(suite, test, own, reading);
}

function takeTest(suite: Element, test: Element, around: Around, reading: Reading): void {
  const { now, results, hasProjects } = reading;
  const name = attribute(test, "name") ?? "?";
  const place = attribute(test, "classname");
  const file = (
    attribute(test, "file") ??
    around.file ??
    place ??
    attribute(suite, "name") ??
    "?"
  ).replaceAll("\\", "/");
  const titles = name.split(SEPARATOR).filter((title) => title !== "");
  const isMore = place !== null && place !== file && place !== name && place.replaceAll("\\", "/") !== file;
  const failures = [...elements(test, "failure"), ...elements(test, "error")];
  const time = fromIso(around.timestamp?.trim() ?? "") ?? now;
  const frame = {
    file: file.slice(0, 1000),
    line: lineOf(test, failures),
    title_path: [...(isMore ? [place] : []), ...(titles.length > 0 ? titles : [name])],
    project: (hasProjects && around.hostname?.slice(0, 200)) || "",
    tags: [...name.matchAll(/(?:^|\s)(@[\w-]+)/g)].map(([, tag]) => tag!),
    annotations: annotationsIn(test),
    expected: "passed" as const,
    started_at: toIso(time),
  };
  const before = EARLIER.flatMap((kind) => elements(test, kind));
  const after = LATER.flatMap((kind) => elements(test, kind));
  const isSkipped = elements(test, "skipped").length > 0;
  const broken = [...before, ...(failures.length > 0 ? [failures[0]!] : []), ...after];
  const attempts = broken.map((failure) => ({ status: "failed" as const, error: errorIn(failure) }));
  const isGood = failures.length === 0;
  const all = isGood
    ? [...attempts, { status: isSkipped ? ("skipped" as const) : ("passed" as const), error: null }]
    : attempts;
  checkCount(results.length + all.length);
  const total = milliseconds(attribute(test, "time"));
  for (const [at, one] of all.entries())
    results.push({
      ...frame,
      ...one,
      expected: isSkipped && one.status === "skipped" ? "skipped" : "passed",
      attempt: at + 1,
      duration_ms: at === all.length - 1 ? total : 0,
    });
}

function errorIn(failure: Element): NonNullable<ReportedResult["error"]> {
  const message = attribute(failure, "message") ?? "";
  const body = withoutHead(textOf(failure["#text"]) ?? "");
  return body === "" ? { message: message || "failed" } : { message: body };
}

/** Playwright's text begins with a line that names the test, and is indented. */
function withoutHead(text: string): string {
  const [, head, rest] = /^\s*(\S.*)\n([\s\S]*)$/.exec(text) ?? [];
  const isHead = head?.includes(SEPARATOR) && /:\d+:\d+/.test(head);
  return (isHead ? rest! : text).replace(/^ {4}/gm, "").trim();
}

function lineOf(test: Element, failures: Element[]): number {
  const told = attribute(test, "line")?.trim() ?? null;
  if (told !== null && /^\d{1,9}$/.test(told)) return Number(told);
  // Playwright's failures begin with the place of their test.
  const said = failures.map((one) => `${attribute(one, "message") ?? ""}\n${textOf(one["#text"]) ?? ""}`);
  return Number(/:(\d{1,9}):\d{1,9}\b/.exec(said.join("\n").slice(0, 2000))?.[1] ?? 0);
}

function annotationsIn(test: Element): ReportedResult["annotations"] {
  const properties = elements(test.properties as Element | undefined, "property");
  return properties.slice(0, 100).map((property) => ({
    type: (attribute(property, "name") ?? "").slice(0, 200),
    description: describe(property)?.slice(0, 10_000) ?? null,
  }));
}

/** What a property says: its attribute, or the text in it, which is laid out between its tags. */
const describe = (property: Element): string | null =>
  attribute(property, "value") ?? textOf(textOf(property["#text"])?.trim());

function elements(within: Element | undefined, name: string): Element[] {
  const found = within?.[name];
  return Array.isArray(found) ? found.filter((one) => typeof one === "object" && one !== null) : [];
}

const attribute = (element: Element, name: string): string | null => textOf(element[`@${name}`]);
const milliseconds = (seconds: string | null): number =>
  Math.max(0, Math.round(Number(seconds?.replaceAll(",", "") ?? 0) * 1000)) || 0;
