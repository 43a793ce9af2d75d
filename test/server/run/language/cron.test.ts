import { describe, expect, test } from "bun:test";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { formatProblem } from "../../../../server/run/language/problem.ts";

function problemsOf(schedule: string): string[] {
  const text = `---\nslug: a\ntitle: A\n${schedule}\n---\n1. go to "/"\n`;
  return compileScenario({ name: "a.scenario.md", text }, () => null).problems.map(formatProblem);
}
const inBlock = (cron: string) => problemsOf(`schedule: { cron: "${cron}" }`);

describe("the cron of a schedule", () => {
  test.each([
    "*/5 * * * *",
    "0,30 0-23 * * MON-SUN",
    "15 * 1-31 jan-dec *",
    "0  */1  *  *  0-7",
    "59 * 1-31 * MON",
    "@hourly",
    "@Hourly",
  ])("may be %s", (cron) => {
    expect(inBlock(cron)).toEqual([]);
  });

  test.each([
    ["61 * * * *", 20, '"61" is no minute: 0 to 59 was expected'],
    ["* 24 * * *", 22, '"24" is no hour: 0 to 23 was expected'],
    ["*  *  0  * *", 26, '"0" is no day of the month: 1 to 31, or L for the last was expected'],
    ["* * * 13 *", 26, '"13" is no month: 1 to 12, or JAN to DEC was expected'],
    ["* * * FOO *", 26, '"FOO" is no month'],
    ["* * * * 8", 28, '"8" is no day of the week: 0 to 7, or SUN to SAT was expected'],
    ["0,15,75 * * * *", 20, '"0,15,75" is no minute'],
    ["5-2 * * * *", 20, '"5-2" is no minute'],
    ["*/0 * * * *", 20, '"*/0" is no minute'],
    ["1, * * * *", 20, '"1," is no minute'],
    ["0 0 31 2 *", 20, '"0 0 31 2 *" never comes: no year has such a day'],
    ["@every", 20, '"@every" is no name for a schedule; there is @hourly'],
    ["*/5 * * *", 19, "five cron fields, such as"],
    ["0 */5 * * * *", 19, "five cron fields, such as"],
  ])("is told of when it is %s, at the field and with what would be right", (cron, column, words) => {
    expect(inBlock(cron)).toEqual([
      expect.stringContaining(`a.scenario.md:4:${column}: schedule.cron: ${words}`),
    ]);
  });

  test.each([
    "0 */2 * * *",
    "0,30 9-17 * * *",
    "*/5 * * * MON-FRI",
    "*/5 * 1-30 * *",
    "*/5 * * jan-nov *",
    "0 0 29 2 *",
  ])("is told of when more than an hour lies between two fires: %s", (cron) => {
    expect(inBlock(cron)).toEqual([
      expect.stringMatching(/^a\.scenario\.md:4:19: schedule\.cron: .* comes too seldom: .* 1 to 60 minutes/),
    ]);
  });

  test("keeps to the plan's cadence and regions, where they are known", () => {
    const rules = { regions: ["us-east-1", "lab"], leastMinutes: 5 };
    const told = (schedule: string) => {
      const text = `---\nslug: a\ntitle: A\nschedule: ${schedule}\n---\n1. go to "/"\n`;
      return compileScenario({ name: "a.scenario.md", text }, () => null, rules).problems.map(formatProblem);
    };
    expect(told('{ cron: "*/5 * * * *", regions: [us-east-1, lab] }')).toEqual([]);
    expect(told('{ cron: "0,58 * * * *" }')).toEqual([
      expect.stringMatching(/^a\.scenario\.md:4:19: .* comes every 2 min at times: .* 5 to 60 minutes/),
    ]);
    expect(told("{ regions: [us-east-1, mars-north-1] }")).toEqual([
      'a.scenario.md:4:34: schedule.regions: there is no "mars-north-1" in this plan; there are us-east-1, lab',
    ]);
  });

  test("is told of where it stands, however it is written", () => {
    expect(problemsOf("schedule:\n  cron: 0 25 * * *")[0]).toStartWith(
      'a.scenario.md:5:11: schedule.cron: "25"',
    );
    expect(problemsOf("schedule:\n  cron: '0 25 * * *'")[0]).toStartWith(
      'a.scenario.md:5:12: schedule.cron: "25"',
    );
    // What is folded or escaped is told of where it begins.
    expect(problemsOf("schedule:\n  cron: >-\n    0 25\n    * * *")[0]).toStartWith(
      "a.scenario.md:5:9: schedule.cron:",
    );
    expect(problemsOf('schedule:\n  cron: "0 25\\x20* * *"')[0]).toStartWith(
      "a.scenario.md:5:9: schedule.cron:",
    );
  });
});
