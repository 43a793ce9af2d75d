import { type Command, InvalidArgumentError } from "commander";
import { fromIso, systemClock, toIso } from "../platform/clock.ts";
import { cadenceProblem, cronProblem, isTimeZone } from "../run/language/cron.ts";
import { clockChanges, nextFires, showFire } from "../run/language/fires.ts";
import { type CommonOptions, example, isoTime, wholeNumber, withRecords } from "./options.ts";
import { note, sayJson, table } from "./output.ts";

interface Options extends CommonOptions {
  timezone: string;
  from?: string;
  count: number;
}

/** `cron next`. */
export function cronCommands(program: Command): void {
  const cron = program.command("cron").description("what cron expressions mean");
  example(cron, 'tracedeck cron next "*/15 * * * *"');
  const command = cron
    .command("next")
    .argument("<expression>", "five fields, or a name such as @hourly", expression)
    .description("when an expression comes next, in its zone and in UTC, and where clocks change on the way")
    .option("--timezone <zone>", "IANA time zone", timeZone, "UTC")
    .option("--from <time>", "ISO 8601; now without it", isoTime)
    .option("--count <n>", "how many", wholeNumber(1, 1000), 5);
  example(
    withRecords(command),
    'tracedeck cron next "*/30 * * * *" --timezone Europe/Berlin --from 2026-10-25T00:00:00Z',
  );
  command.action((text: string, options: Options) => {
    const { timezone, count } = options;
    const from = options.from === undefined ? systemClock.now() : fromIso(options.from)!;
    const times = nextFires({ cron: text, timezone }, from, count);
    const fires = times.map((at) => ({ at: toIso(at), local: showFire(at, timezone).local }));
    const cadence = isKnownName(text) ? cadenceOfName(text) : (cadenceProblem(text, 1)?.message ?? null);
    const warnings = [
      ...clockChanges(timezone, [from, ...times]),
      ...(cadence ? [`No scheduled check may have it: ${cadence}.`] : []),
    ];
    if (options.json) return sayJson({ fires, warnings });
    table(
      timezone === "UTC" ? ["UTC"] : [timezone, "UTC"],
      fires.map(({ at, local }) => (timezone === "UTC" ? [at] : [local, at])),
    );
    for (const warning of warnings) note(`Warning: ${warning}`);
  });
}

/** Names that are no schedule of a check, and that cron knows. */
const NAMES = ["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"];

const isKnownName = (text: string): boolean => NAMES.includes(text.toLowerCase());

const cadenceOfName = (text: string): string | null =>
  text.toLowerCase() === "@hourly" ? null : (cronProblem(text)?.message ?? null);

function expression(text: string): string {
  if (isKnownName(text)) return text;
  if (text.trim().split(/\s+/).length !== 5)
    throw new InvalidArgumentError(
      "It must have five fields (minute, hour, day of the month, month, day of the week), or be a name such as @hourly.",
    );
  const wrong = cronProblem(text);
  if (wrong) throw new InvalidArgumentError(`${wrong.message}.`);
  return text;
}

function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError("It must be an IANA time zone, such as Europe/Berlin.");
}
