import { codeBlock, codeSpan, text } from "../../format/markdown.ts";
import { isHook } from "../tools/steps.ts";
import { adviceFor, WHERE } from "./advice.ts";
import { bullets, counted, type Difference, dayOf, type Eyes, evented, type Seen } from "./seen.ts";

function withoutFailure(status: string): string {
  if (status === "passed") return "**This run passed:** there is no failure to explain.";
  if (status === "running" || status === "queued")
    return `**This run has not ended** (it is ${status}): whether it fails is not known yet.`;
  return `**This run ended as ${status}**, and what failed was not recorded.`;
}

/** Why it failed: the engine's sentence, its evidence, and what else it could be. */
export async function why({ see, step }: Eyes): Promise<string[]> {
  const { seen } = await see("get_cause");
  if (!seen) return ["The cause could not be read."];
  const { headline, failed_step: failed, error, suspects, also_when_passing: also } = seen;
  const [first, ...others] = suspects;
  if (headline === null && error === null) return [withoutFailure(seen.status)];
  return [
    `**${text(headline ?? error ?? "")}**`,
    failed ? `It failed at ${step(failed.step_id)}.` : "",
    first ? firstSuspect(first, headline) : "",
    error !== null && !error.includes(headline ?? "\0") ? `The error:\n\n${codeBlock(error)}` : "",
    others.length > 0
      ? `What else could it be:\n\n${bullets(others.slice(0, 3).map((one) => `${evented(one.title, one.events[0])} (${percent(one.confidence)}${newness(one.is_new)})`))}`
      : "",
    seen.divergence === null ? "" : `Against the last pass: ${text(seen.divergence)}`,
    also.length > 0
      ? `Wrong in passing runs too, so not the cause: ${also
          .slice(0, 3)
          .map(({ title }) => text(title))
          .join("; ")}.`
      : "",
  ];
}

function firstSuspect(
  { title, detail, confidence, is_new, events }: Seen["get_cause"]["suspects"][number],
  headline: string | null,
): string {
  const said = headline?.includes(title) === true ? "" : `: ${text(title)}`;
  const isRepeated = detail === null || headline?.includes(detail) === true;
  const shown =
    events.length > 0
      ? `, seen at ${events
          .slice(0, 3)
          .map((seq) => evented(`event ${seq}`, seq))
          .join(", ")}`
      : "";
  return `How sure: ${percent(confidence)}${newness(is_new)}${shown}${said}${isRepeated ? "" : `. ${text(detail)}`}`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const newness = (isNew: boolean | null): string =>
  isNew === null ? "" : isNew ? ", no passing run has it" : ", passing runs have it too";

/** Since when it fails. */
export async function since({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_history");
  if (!answered.seen) return [`I cannot say since when: ${answered.why}`];
  const { regression, runs, statistics } = answered.seen;
  const known = `I know ${counted(runs.length, "run")} of this test up to this one.`;
  if (!regression) {
    const here = runs.find(({ is_this: isThis }) => isThis)?.status;
    const failed = runs.filter(({ status }) => status === "failed").length;
    if (here === "passed")
      return [
        `**It does not fail:** this run passed.${failed > 0 ? ` Of those that I know before it, ${failed} failed.` : ""}`,
        known,
      ];
    return ["**I cannot say since when:** no failing run up to this one is known.", known];
  }
  const { last_green: green, first_red: red } = regression;
  const same = runs.filter(({ is_same_failure: isSame }) => isSame === true).length;
  return [
    `**It fails since ${dayOf(red.created_at)} UTC${onCommit(red.code_sha)}.**`,
    green
      ? `The last pass was at ${dayOf(green.created_at)} UTC${onCommit(green.code_sha)}. ${between(green.code_sha, red.code_sha)}`
      : "No pass of this test is known before it.",
    runs.length > 1
      ? `${same} of the last ${runs.length} runs failed in this way.${streakOf(statistics.streak)}`
      : "It is the only run of this test that I know.",
  ];
}

const onCommit = (sha: string | null): string =>
  sha === null ? "; its commit is not recorded" : `, on commit ${codeSpan(sha.slice(0, 12))}`;

function between(green: string | null, red: string | null): string {
  if (green === null || red === null)
    return "Which change lies between them cannot be told without the commits of both.";
  return green === red
    ? "That is the same commit, so the code did not change between them: look at data, the environment, or flakiness."
    : "What broke it lies between the two.";
}

const streakOf = (streak: Seen["get_history"]["statistics"]["streak"]): string =>
  streak && streak.count > 1 ? ` The last ${streak.count} in a row ${streak.status}.` : "";

/** What differs from the last pass. */
export async function differs({ see }: Eyes): Promise<string[]> {
  const overview = await see("compare_with_last_pass");
  if (!overview.seen) return [`I cannot compare: ${overview.why}`];
  const { summary, first_divergence: first } = overview.seen;
  const parts = [
    first
      ? `**It first went another way here:** ${differenceLine(first)}`
      : "**Nothing of what is compared differs from the last pass.**",
    `In all: ${summary.added} added, ${summary.removed} missing, ${summary.changed} changed, ${summary.same} the same (ids, times, ports and values of queries left out of account).`,
  ];
  for (const dimension of ["steps", "network", "console"] as const) {
    const { seen } = await see("compare_with_last_pass", { dimension });
    if (!seen || seen.differing === 0) continue;
    const shown = seen.items.slice(0, MOST_DIFFERENCES);
    const more = seen.differing - shown.length;
    parts.push(
      `${TITLES[dimension]} (${seen.differing}):\n\n${bullets(shown.map(differenceLine))}${more > 0 ? `\n\nAnd ${more} more.` : ""}`,
    );
  }
  return parts;
}

const MOST_DIFFERENCES = 5;
const TITLES = { steps: "Steps", network: "Requests", console: "Console" };

/** A difference as a sentence, with a link to where it is in this run. */
const differenceLine = ({ words, key, change, b }: Difference): string =>
  `${text(words ?? `${change}: ${key}`)}${b?.seq === undefined ? "" : ` (${evented("see it", b.seq)})`}`;

/** Whether it is flaky. */
export async function flaky({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_history");
  if (!answered.seen) return [`I cannot say: ${answered.why}`];
  const { statistics, runs } = answered.seen;
  const { passed, failed, flakiness, streak } = statistics;
  const { score, flips, pairs, flaky_commits: commits } = flakiness;
  const isNameless = runs.every(({ commit }) => commit === null);
  const verdict =
    score === null
      ? `**I cannot tell: ${isNameless ? "these runs do not say which commit they are of" : "no commit ran twice"}**, so nothing says whether the outcome changes without the code.`
      : flips > 0
        ? `**It has been flaky:** in ${flips} of ${counted(pairs, "pair")} of runs on the same commit one passed and the other failed (${counted(commits, "commit")}).`
        : `**It does not look flaky:** in ${pairs === 1 ? "the one pair" : `none of ${pairs} pairs`} of runs on the same commit the outcome ${pairs === 1 ? "did not change" : "changed"}.`;
  if (runs.length < 2) return [verdict, "It is the only run of this test that I know."];
  return [
    verdict,
    `Of the last ${runs.length} runs ${passed} passed and ${failed} failed.${streakOf(streak)}`,
    `The last ones, newest first: ${runs
      .slice(0, 12)
      .map(({ status, is_this: isThis }) => (isThis ? `**${status}** (this run)` : status))
      .join(", ")}.`,
  ];
}

/** How to reproduce it. */
export async function reproduce({ see }: Eyes): Promise<string[]> {
  const [history, environment, steps, source] = [
    await see("get_history"),
    await see("get_environment"),
    await see("list_steps"),
    await see("get_source"),
  ];
  const { test, path } = history.seen?.scenario ?? { test: null, path: null };
  const { commit, region } = environment.seen ?? { commit: null, region: null };
  const command = test
    ? playwrightCommand(test)
    : path !== null
      ? `tracedeck run ${quoted(path)}`
      : specCommand(environment.seen?.environment.test, source.seen?.places ?? []);
  const checkout = commit !== null && /^[0-9a-f]{7,64}$/i.test(commit) ? [`git checkout ${commit}`] : [];
  const upTo = steps.seen?.failed_step ?? null;
  const own = (steps.seen?.steps ?? []).filter(
    ({ step, title, is_part_of_another: isPart }) =>
      !isPart && !isHook(title) && (upTo === null || step <= upTo),
  );
  return [
    command === null
      ? `**How this run was started is not recorded**, so I know no command that runs it again.${checkout.length > 0 ? ` The code was that of:\n\n${codeBlock(checkout.join("\n"))}` : ""}`
      : `Run it again:\n\n${codeBlock([...checkout, command].join("\n"))}`,
    region === null
      ? ""
      : `It ran in the region ${codeSpan(region)}: its locale, time zone and network count.`,
    own.length > 0
      ? `By hand, ${upTo === null ? "these were the steps" : "up to the step that failed"}:\n\n${bullets(
          own
            .slice(-15)
            .map(
              ({ step, title, status }) =>
                `[step ${step}](step:${step}) ${text(title)}${status === "failed" ? " ← **fails here**" : ""}`,
            ),
        )}`
      : steps.seen
        ? ""
        : `The steps cannot be listed: ${steps.why}`,
    path === null ? "" : "It can also be replayed from one of its steps, with Replay on the page.",
  ];
}

/** Words of a shell: nothing recorded may end its quotes, nor the line. */
const quoted = (word: string): string =>
  /^[\w./@:=-]+$/.test(word) ? word : `'${word.replace(/[\r\n]+/g, " ").replaceAll("'", "'\\''")}'`;

function playwrightCommand({
  file,
  title_path: path,
  project,
}: {
  file: string;
  title_path: string[];
  project: string | null;
}): string {
  const title = path.at(-1);
  const named = title === undefined ? "" : ` -g ${quoted(title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))}`;
  return `npx playwright test ${quoted(file)}${named}${project === null || project === "" ? "" : ` --project=${quoted(project)}`}`;
}

const SPEC = /^[^\s:]+\.(?:spec|test)\.[cm]?[jt]sx?$/;

/**
 * Playwright takes a part of a file's path, and with it the line at which the test is declared; a recording is titled by both.
 * The line that failed is none of these, so that without a title the whole file runs.
 */
function specCommand(title: unknown, places: Seen["get_source"]["places"]): string | null {
  const [, file, line] = /^(\S+):(\d{1,6}) › /.exec(String(title)) ?? [];
  if (file !== undefined && SPEC.test(file)) return `npx playwright test ${quoted(`${file}:${line}`)}`;
  const name = places.map((place) => place.file.split(/[\\/]/).at(-1)!).find((one) => SPEC.test(one));
  return name === undefined ? null : `npx playwright test ${quoted(name)}`;
}

/** What to change. */
export async function fix({ see, step }: Eyes): Promise<string[]> {
  const { seen } = await see("get_cause");
  if (!seen) return ["The cause could not be read."];
  if (seen.headline === null && seen.error === null) return [withoutFailure(seen.status)];
  const [first, second] = seen.suspects;
  if (!first)
    return [
      "No cause stands out in the recording: begin with the error and the page at that moment.",
      `The error:\n\n${codeBlock(seen.error ?? "")}`,
    ];
  const { where, what } = adviceFor(first);
  const source = await see("get_source");
  const place = source.seen?.places[0];
  return [
    `**${WHERE[where]}** ${text(seen.headline ?? first.title)}`,
    what,
    first.detail === null ? "" : `What the recording shows: ${text(first.detail)}`,
    seen.failed_step ? `Where it shows: ${step(seen.failed_step.step_id)}.` : "",
    place ? `In the test: ${codeSpan(`${place.file}:${place.line}`)}.` : "",
    first.confidence < 0.6 && second
      ? `I am not sure (${percent(first.confidence)}). If that is not it: ${text(second.title)}. ${adviceFor(second).what}`
      : "",
    "These are rules for this kind of cause; I do not know your code beyond what was recorded.",
  ];
}
