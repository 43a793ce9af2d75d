import { codeBlock, codeSpan, text } from "../../format/markdown.ts";
import { ADVICE, WHERE } from "./advice.ts";
import { bullets, dayOf, type Eyes, evented, type Seen } from "./seen.ts";

const NO_FAILURE = "This run did not fail, or has not ended: there is no failure to explain.";

/** Why it failed: the engine's sentence, its evidence, and what else it could be. */
export async function why({ see, step }: Eyes): Promise<string[]> {
  const { seen } = await see("get_cause");
  if (!seen) return ["The cause could not be read."];
  const { headline, failed_step: failed, error, suspects, also_when_passing: also } = seen;
  const [first, ...others] = suspects;
  if (headline === null && error === null) return [NO_FAILURE];
  return [
    `**${text(headline ?? error ?? "")}**`,
    failed ? `It failed at ${step(failed.step_id)}.` : "",
    first ? firstSuspect(first, headline) : "",
    error !== null && !error.includes(headline ?? "\0") ? `The error:\n\n${codeBlock(error)}` : "",
    others.length > 0
      ? `What else could it be:\n\n${bullets(others.slice(0, 3).map((one) => `${evented(one.title, one.events[0])} (${percent(one.confidence)}${newness(one.is_new)})`))}`
      : "",
    seen.divergence === null ? "" : `Against the last pass: ${text(seen.divergence)}.`.replace(/\.\.$/, "."),
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
  const shown =
    events.length > 0
      ? `, seen at ${events
          .slice(0, 3)
          .map((seq) => evented(`event ${seq}`, seq))
          .join(", ")}`
      : "";
  return `How sure: ${percent(confidence)}${newness(is_new)}${shown}${said}${detail === null ? "" : `. ${text(detail)}`}`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const newness = (isNew: boolean | null): string =>
  isNew === null ? "" : isNew ? ", no passing run has it" : ", passing runs have it too";

/** Since when it fails. */
export async function since({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_history");
  if (!answered.seen) return [`I cannot say since when: ${answered.why}`];
  const { regression, runs, statistics } = answered.seen;
  const commit = (sha: string | null) =>
    sha === null ? "an unknown commit" : `commit ${codeSpan(sha.slice(0, 12))}`;
  if (!regression) {
    const here = runs.find(({ is_this: isThis }) => isThis)?.status;
    return [
      here === "passed"
        ? "It passes: this run did, and no run before it failed since."
        : "No failing run before this one is known.",
      `I know ${runs.length} ${runs.length === 1 ? "run" : "runs"} of this test up to this one.`,
    ];
  }
  const { last_green: green, first_red: red } = regression;
  const same = runs.filter(({ is_same_failure: isSame }) => isSame === true).length;
  return [
    `**It fails since ${dayOf(red.created_at)} UTC, on ${commit(red.code_sha)}.**`,
    green
      ? `The last pass was at ${dayOf(green.created_at)} UTC, on ${commit(green.code_sha)}.${green.code_sha !== null && green.code_sha === red.code_sha ? " That is the same commit, so that the code did not change between them: look at data, the environment, or flakiness." : " What broke it lies between the two."}`
      : "No pass of this test is known before it.",
    `${same} of the last ${runs.length} runs failed in the same way${statistics.streak?.status === "failed" ? `; the last ${statistics.streak.count} in a row failed` : ""}.`,
  ];
}

/** What differs from the last pass. */
export async function differs({ see }: Eyes): Promise<string[]> {
  const overview = await see("compare_with_last_pass");
  if (!overview.seen) return [`I cannot compare: ${overview.why}`];
  const { summary, first_divergence: first } = overview.seen;
  const parts = [
    first
      ? `**It first went another way at:** ${first.dimension ? `${first.dimension}, ` : ""}${first.change} ${evented(first.key, first.b?.seq)}.`
      : "**Nothing of what is compared differs from the last pass.**",
    `In all: ${summary.added} added, ${summary.removed} missing, ${summary.changed} changed, ${summary.same} the same (ids, times, ports and values of queries left out of account).`,
  ];
  for (const dimension of ["steps", "network", "console"] as const) {
    const { seen } = await see("compare_with_last_pass", { dimension });
    if (!seen || seen.differing === 0) continue;
    const lines = seen.items
      .slice(0, 5)
      .map((one) => `${one.change}: ${evented(one.key, one.b?.seq)}${valuesOf(one)}`);
    parts.push(`${TITLES[dimension]} (${seen.differing}):\n\n${bullets(lines)}`);
  }
  return parts;
}

const TITLES = { steps: "Steps", network: "Requests", console: "Console" };

function valuesOf({ detail }: Seen["compare_with_last_pass"]["items"][number]): string {
  const told = (detail?.differences ?? [])
    .slice(0, 2)
    .map(({ path, a, b }) => `${codeSpan(path)} was ${short(a)}, is ${short(b)}`);
  return told.length === 0 ? "" : ` (${told.join("; ")})`;
}

const short = (value: unknown): string => codeSpan((JSON.stringify(value) ?? "absent").slice(0, 80));

/** Whether it is flaky. */
export async function flaky({ see }: Eyes): Promise<string[]> {
  const answered = await see("get_history");
  if (!answered.seen) return [`I cannot say: ${answered.why}`];
  const { statistics, runs } = answered.seen;
  const { passed, failed, flakiness, streak } = statistics;
  const { score, flips, pairs, flaky_commits: commits } = flakiness;
  const verdict =
    score === null
      ? "**I cannot tell: no commit ran twice**, so that nothing says whether the outcome changes without the code."
      : flips > 0
        ? `**It has been flaky:** in ${flips} of ${pairs} pairs of runs on the same commit one passed and the other failed (${commits} ${commits === 1 ? "commit" : "commits"}).`
        : `**It does not look flaky:** in none of ${pairs} pairs of runs on the same commit the outcome changed.`;
  return [
    verdict,
    `Of the last ${runs.length} runs ${passed} passed and ${failed} failed.${streak ? ` The last ${streak.count} in a row ${streak.status}.` : ""}`,
    `The last ones, newest first: ${runs
      .slice(0, 12)
      .map(({ status, is_this: isThis }) => (isThis ? `**${status}** (this run)` : status))
      .join(", ")}.`,
  ];
}

/** How to reproduce it. */
export async function reproduce({ see }: Eyes): Promise<string[]> {
  const [history, environment, steps] = [
    await see("get_history"),
    await see("get_environment"),
    await see("list_steps"),
  ];
  const test = history.seen?.scenario.test ?? null;
  const { commit, region } = environment.seen ?? { commit: null, region: null };
  const commands = [
    ...(commit !== null && /^[0-9a-f]{7,64}$/i.test(commit) ? [`git checkout ${commit}`] : []),
    test ? playwrightCommand(test) : history.seen ? `tracedeck run ${history.seen.scenario.slug}` : null,
  ].filter((line) => line !== null);
  const upTo = steps.seen?.failed_step ?? null;
  const own = (steps.seen?.steps ?? []).filter(
    ({ step, is_part_of_another: isPart }) => !isPart && (upTo === null || step <= upTo),
  );
  return [
    commands.length > 0
      ? `Run it again:\n\n${codeBlock(commands.join("\n"))}`
      : "How the test is started is not recorded.",
    region === null
      ? ""
      : `It ran in the region ${codeSpan(region)}: its locale, time zone and network count.`,
    own.length > 0
      ? `By hand, ${upTo === null ? "these were the steps" : "up to the step that failed"}:\n\n${own
          .slice(-15)
          .map(
            ({ step, title, status }) =>
              `${step}. ${text(title)}${status === "failed" ? ` ← [fails here](step:${step})` : ""}`,
          )
          .join("\n")}`
      : steps.seen
        ? ""
        : `The steps cannot be listed: ${steps.why}`,
    test
      ? ""
      : "A recording by `tracedeck run` can also be replayed from one of its steps, with Replay on the page.",
  ];
}

/** Words of a shell: nothing recorded may end its quotes. */
const quoted = (word: string): string =>
  /^[\w./@:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

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

/** What to change. */
export async function fix({ see, step }: Eyes): Promise<string[]> {
  const { seen } = await see("get_cause");
  if (!seen || (seen.headline === null && seen.error === null)) return [NO_FAILURE];
  const [first, second] = seen.suspects;
  if (!first)
    return [
      "No cause stands out in the recording: begin with the error and the page at that moment.",
      `The error:\n\n${codeBlock(seen.error ?? "")}`,
    ];
  const { where, what } = ADVICE[first.kind];
  const source = await see("get_source");
  const place = source.seen?.places[0];
  return [
    `**${WHERE[where]}** ${text(seen.headline ?? first.title)}`,
    what,
    first.detail === null ? "" : `What the recording shows: ${text(first.detail)}`,
    seen.failed_step ? `Where it shows: ${step(seen.failed_step.step_id)}.` : "",
    place ? `In the test: ${codeSpan(`${place.file}:${place.line}`)}.` : "",
    first.confidence < 0.6 && second
      ? `I am not sure (${percent(first.confidence)}). If that is not it: ${text(second.title)}. ${ADVICE[second.kind].what}`
      : "",
    "These are rules for this kind of cause; I do not know your code beyond what was recorded.",
  ];
}
