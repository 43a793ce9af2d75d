import { Cron } from "croner";

const NAMES = ["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"];
const FIELDS = [
  { name: "minute", values: "0 to 59" },
  { name: "hour", values: "0 to 23" },
  { name: "day of the month", values: "1 to 31, or L for the last" },
  { name: "month", values: "1 to 12, or JAN to DEC" },
  { name: "day of the week", values: "0 to 7, or SUN to SAT" },
];
const HOW = "alone, as a list (1,2), a range (1-5), or with a step (*/5, 0-30/5)";
/** Any will do: what comes once a year, or every leap year, comes again after it. */
const FROM = new Date(0);

/** What cannot be meant in a cron expression, and where it stands there; offsets in UTF-16 units. */
export interface CronProblem {
  offset: number;
  message: string;
}

/** Null when croner reads it. @param text five fields, or a name such as `@hourly` */
export function cronProblem(text: string): CronProblem | null {
  if (text.startsWith("@")) {
    if (NAMES.includes(text.toLowerCase())) return null;
    return { offset: 0, message: `"${text}" is no name for a schedule; there are ${NAMES.join(", ")}` };
  }
  for (const [at, { 0: field, index: offset }] of [...text.matchAll(/\S+/g)].entries()) {
    const alone = FIELDS.map((_, place) => (place === at ? field : "*")).join(" ");
    if (isReadable(alone)) continue;
    const { name, values } = FIELDS[at]!;
    return { offset, message: `"${field}" is no ${name}: ${values} was expected, ${HOW}` };
  }
  if (new Cron(text).nextRun(FROM) === null)
    return { offset: 0, message: `"${text}" never comes: no year has such a day` };
  return null;
}

function isReadable(expression: string): boolean {
  try {
    new Cron(expression, { mode: "5-part" });
    return true;
  } catch {
    return false;
  }
}
