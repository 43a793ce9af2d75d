import { describe, expect, test } from "bun:test";
import { every, play, type Timeline } from "./timelines.ts";

const MINUTE = 60;
const RATE = { consecutive_failures: 99 };
const SLOW = { latency_p99: { ms: 5000, window_minutes: 60 } };

const TIMELINES: Timeline[] = [
  {
    name: "one failure is nobody's concern",
    happens: every(MINUTE, "a", "PPFPPFPP"),
    incidents: [],
    told: [],
  },
  {
    name: "two failures in a row open one incident, however many follow, and two successes end it",
    happens: every(MINUTE, "a", "PFFFFFFPP"),
    incidents: ["a consecutive_failures 120-480 resolved"],
    told: ["150 incident.opened a", "480 incident.resolved a"],
  },
  {
    name: "one success is not the end: almost resolved, then failing again",
    happens: every(MINUTE, "a", "FFPFPFPP"),
    incidents: ["a consecutive_failures 60-420 resolved"],
    told: ["90 incident.opened a", "420 incident.resolved a"],
  },
  {
    name: "what ends before its first notice is due is not told at all",
    happens: every(10, "a", "FFPP"),
    incidents: ["a consecutive_failures 10-30 resolved"],
    told: [],
  },
  {
    name: "after its end every window starts anew",
    happens: every(MINUTE, "a", "FFFPPFPPPP"),
    incidents: ["a consecutive_failures 60-240 resolved"],
    told: ["90 incident.opened a", "240 incident.resolved a"],
  },
  {
    name: "a new failure is a new incident",
    happens: every(MINUTE, "a", "FFPPFF"),
    incidents: ["a consecutive_failures 60-180 resolved", "a consecutive_failures 300- open"],
    told: ["90 incident.opened a", "180 incident.resolved a", "330 incident.opened a"],
  },
  {
    name: "a rate is not reset by one pass, counts from its limit on and needs its samples",
    policy: RATE,
    happens: every(MINUTE, "a", "FPFPP"),
    incidents: [],
    told: [],
  },
  {
    name: "a rate opens on a failure that reaches the limit",
    policy: RATE,
    happens: every(MINUTE, "a", "PFPFPF"),
    incidents: ["a failure_rate 180- open"],
    told: ["210 incident.opened a"],
  },
  {
    name: "a rate never opens on a pass",
    policy: { ...RATE, failure_rate: { percent: 50, window_minutes: 30, min_samples: 4 } },
    happens: every(MINUTE, "a", "FFFP"),
    incidents: [],
    told: [],
  },
  {
    name: "a rate forgets what is older than its window",
    policy: { ...RATE, failure_rate: { percent: 50, window_minutes: 3, min_samples: 2 } },
    happens: [...every(MINUTE, "a", "F"), [180, "a", "F"], [359, "a", "P"], [420, "a", "F"]],
    incidents: ["a failure_rate 420- open"],
    told: ["450 incident.opened a"],
  },
  {
    name: "a further rule that fires on an incident is not told",
    policy: { failure_rate: { percent: 50, window_minutes: 30, min_samples: 3 } },
    happens: every(MINUTE, "a", "FFFF"),
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a"],
  },
  {
    name: "an incident that fails on is told again, until it ends",
    policy: { remind_minutes: 5 },
    happens: every(MINUTE, "a", "FFFFFFFFFFFFFFPP"),
    incidents: ["a consecutive_failures 60-900 resolved"],
    told: [
      "90 incident.opened a",
      ...["390 incident.opened a", "690 incident.opened a"],
      "900 incident.resolved a",
    ],
  },
  {
    name: "an incident is told again by the clock, though no run comes",
    policy: { remind_minutes: 5 },
    happens: [...every(MINUTE, "a", "FF"), [800, "a", "tick"]],
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a", "390 incident.opened a", "690 incident.opened a"],
  },
  {
    name: "while the newest run passed nobody is reminded, and the next failure is told at once",
    policy: { remind_minutes: 5 },
    happens: [...every(MINUTE, "a", "FFP"), [800, "a", "F"], [801, "a", "tick"]],
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a", "800 incident.opened a"],
  },
  {
    name: "a reminder that waits for the end of maintenance is taken back when somebody takes the incident on",
    policy: { remind_minutes: 5 },
    quiet: [380, 600],
    happens: [...every(MINUTE, "a", "FFFFFFFFFFFF"), [500, "a", "ack"]],
    incidents: ["a consecutive_failures 60- acknowledged"],
    told: ["90 incident.opened a"],
  },
  {
    name: "nobody is reminded of what was acknowledged",
    policy: { remind_minutes: 5 },
    happens: [...every(MINUTE, "a", "FFFFFFFFFFFFFFFF"), [450, "a", "ack"]],
    incidents: ["a consecutive_failures 60- acknowledged"],
    told: ["90 incident.opened a", "390 incident.opened a"],
  },
  {
    name: "nobody is reminded of what is suppressed, and what fails after that is told anew",
    policy: { remind_minutes: 5 },
    happens: [...every(MINUTE, "a", "FFFFFFFFFFFFF"), [150, "a", "suppress 400"]],
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a", "630 incident.opened a"],
  },
  {
    name: "a reminder waits for the end of maintenance",
    policy: { remind_minutes: 5 },
    quiet: [380, 600],
    happens: every(MINUTE, "a", "FFFFFFFFFFFF"),
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a", "600 incident.opened a"],
  },
  {
    name: "an incident is told again 24 times at most",
    policy: { remind_minutes: 5 },
    happens: every(5 * MINUTE, "a", "F".repeat(40)),
    incidents: ["a consecutive_failures 300- open"],
    told: [
      "330 incident.opened a",
      ...Array.from({ length: 24 }, (_, n) => `${630 + n * 300} incident.opened a`),
    ],
  },
  {
    name: "slow runs are an incident once there are twenty, and fast ones end it",
    policy: SLOW,
    happens: every(MINUTE, "a", `${"S".repeat(21)}PP`),
    incidents: ["a latency_p99 1140-1320 resolved"],
    told: ["1170 incident.opened a", "1320 incident.resolved a"],
  },
  {
    name: "nineteen slow runs are too few to say",
    policy: SLOW,
    happens: every(MINUTE, "a", "S".repeat(19)),
    incidents: [],
    told: [],
  },
  {
    name: "what is still slow when its suppression ran out opens again, told once, and fast ones end it",
    policy: SLOW,
    happens: [...every(MINUTE, "a", `${"S".repeat(25)}PP`), [1210, "a", "suppress 60"]],
    incidents: ["a latency_p99 1140-1560 resolved"],
    told: ["1170 incident.opened a", "1350 incident.opened a", "1560 incident.resolved a"],
  },
  {
    name: "one fast run after a suppression opens nothing again, and ends nothing",
    policy: SLOW,
    happens: [...every(MINUTE, "a", "S".repeat(21)), [1210, "a", "suppress 60"], [1320, "a", "P"]],
    incidents: ["a latency_p99 1140- suppressed"],
    told: ["1170 incident.opened a"],
  },
  {
    name: "drift is told as drift, and its end is not",
    happens: every(MINUTE, "a", "DCC"),
    incidents: ["a shadow_diff 0-120 resolved"],
    told: ["30 shadow_diff.detected a"],
  },
  {
    name: "failures that come to a drift are told once, and both have to end",
    happens: [...every(MINUTE, "a", "DFFPP"), ...every(MINUTE, "a", "CC", 300)],
    incidents: ["a shadow_diff 0-360 resolved"],
    told: ["30 shadow_diff.detected a", "150 incident.opened a", "360 incident.resolved a"],
  },
  {
    name: "what was slow and fails is told once more, and no more after that",
    policy: SLOW,
    happens: every(MINUTE, "a", `${"S".repeat(21)}FFFF`),
    incidents: ["a latency_p99 1140- open"],
    told: ["1170 incident.opened a", "1350 incident.opened a"],
  },
  {
    name: "what was slow and fails before that was told is told once",
    policy: { ...SLOW, consecutive_failures: 1 },
    happens: [...every(MINUTE, "a", "S".repeat(20)), [1150, "a", "F"], [1160, "a", "F"]],
    incidents: ["a latency_p99 1140- open"],
    told: ["1170 incident.opened a"],
  },
  {
    name: "whoever takes on or silences what is slow does so until it fails",
    policy: SLOW,
    happens: [
      ...every(MINUTE, "a", `${"S".repeat(21)}FFF`),
      [1180, "a", "ack"],
      [1190, "a", "suppress 86400"],
    ],
    incidents: ["a latency_p99 1140- open"],
    told: ["1170 incident.opened a", "1350 incident.opened a"],
  },
  {
    name: "a drift that somebody silenced hides no failures",
    happens: [...every(MINUTE, "a", "DFFF"), [40, "a", "suppress 86400"]],
    incidents: ["a shadow_diff 0- open"],
    told: ["30 shadow_diff.detected a", "150 incident.opened a"],
  },
  {
    name: "three regions that were slow and fail within a minute are one outage, told once",
    policy: SLOW,
    regions: 3,
    happens: [
      ...every(MINUTE, "a", `${"S".repeat(21)}FFPP`),
      ...every(MINUTE, "b", `${"S".repeat(21)}FFPP`, 5),
      ...every(MINUTE, "c", `${"S".repeat(21)}FFPP`, 10),
    ],
    incidents: [
      "a latency_p99 1140-1440 resolved",
      "b latency_p99 1145-1445 resolved",
      "c latency_p99 1150-1450 resolved",
      "global global_outage 1330-1450 resolved",
    ],
    told: [
      ...["1200 incident.opened a", "1205 incident.opened b", "1210 incident.opened c"],
      ...["1380 incident.opened global", "1440 incident.resolved a", "1445 incident.resolved b"],
      ...["1450 incident.resolved c", "1450 incident.resolved global"],
    ],
  },
  {
    name: "whoever acknowledges keeps it from nobody, and successes end it",
    happens: [...every(MINUTE, "a", "FFFPP"), [100, "a", "ack"]],
    incidents: ["a consecutive_failures 60-240 resolved"],
    told: ["90 incident.opened a", "240 incident.resolved a"],
  },
  {
    name: "what is suppressed before its notice is due is not told, nor its end",
    happens: [...every(MINUTE, "a", "FFFPP"), [70, "a", "suppress 3600"]],
    incidents: ["a consecutive_failures 60-240 resolved"],
    told: [],
  },
  {
    name: "those who were told that it opened are told that it ended, suppressed or not",
    happens: [...every(MINUTE, "a", "FFFPP"), [100, "a", "suppress 3600"]],
    incidents: ["a consecutive_failures 60-240 resolved"],
    told: ["90 incident.opened a", "240 incident.resolved a"],
  },
  {
    name: "a suppression that ran out opens it at the next failure, told once; a pass does not",
    happens: [...every(MINUTE, "a", "FFFPFFF"), [100, "a", "suppress 60"]],
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a", "270 incident.opened a"],
  },
  {
    name: "suppressing again replaces the end",
    happens: [...every(MINUTE, "a", "FFFFFF"), [100, "a", "suppress 60"], [110, "a", "suppress 3600"]],
    incidents: ["a consecutive_failures 60- suppressed"],
    told: ["90 incident.opened a"],
  },
  {
    name: "regions are apart: the success of one ends nothing of another",
    regions: 2,
    happens: [...every(MINUTE, "a", "FFFF"), ...every(MINUTE, "b", "PPPP", 5)],
    incidents: ["a consecutive_failures 60- open"],
    told: ["90 incident.opened a"],
  },
  {
    name: "two regions are two incidents",
    regions: 2,
    happens: [...every(MINUTE, "a", "FF"), ...every(MINUTE, "b", "FF", 5)],
    incidents: ["a consecutive_failures 60- open", "b consecutive_failures 65- open"],
    told: ["90 incident.opened a", "95 incident.opened b"],
  },
  {
    name: "three regions within a minute are one outage, told once, ended with the last of them",
    regions: 3,
    happens: [
      ...every(MINUTE, "a", "FFFPP"),
      ...every(MINUTE, "b", "FFFPP", 20),
      ...every(MINUTE, "c", "FFFFPP", 60),
    ],
    incidents: [
      "a consecutive_failures 60-240 resolved",
      "b consecutive_failures 80-260 resolved",
      "c consecutive_failures 120-360 resolved",
      "global global_outage 120-360 resolved",
    ],
    told: ["120 incident.opened global", "360 incident.resolved global"],
  },
  {
    name: "three regions over a minute and a second are three incidents",
    regions: 3,
    happens: [...every(MINUTE, "a", "FF"), ...every(MINUTE, "b", "FF", 20), ...every(MINUTE, "c", "FF", 61)],
    incidents: [
      "a consecutive_failures 60- open",
      "b consecutive_failures 80- open",
      "c consecutive_failures 121- open",
    ],
    told: ["120 incident.opened a", "140 incident.opened b", "181 incident.opened c"],
  },
  {
    name: "a region that fails later joins the outage that goes on, without a word",
    regions: 4,
    happens: [
      ...every(MINUTE, "a", "FF"),
      ...every(MINUTE, "b", "FF", 1),
      ...every(MINUTE, "c", "FF", 2),
      ...every(MINUTE, "d", "FF", 600),
    ],
    incidents: [
      "a consecutive_failures 60- suppressed",
      "b consecutive_failures 61- suppressed",
      "c consecutive_failures 62- suppressed",
      "global global_outage 62- open",
      "d consecutive_failures 660- suppressed",
    ],
    told: ["120 incident.opened global"],
  },
  {
    name: "what fails and ends within maintenance is told to nobody",
    quiet: [0, 1000],
    happens: every(MINUTE, "a", "FFFPP"),
    incidents: ["a consecutive_failures 60-240 resolved"],
    told: [],
  },
  {
    name: "what still fails when maintenance ends is told then",
    quiet: [0, 300],
    happens: every(MINUTE, "a", "FFFFFFFF"),
    incidents: ["a consecutive_failures 60- open"],
    told: ["300 incident.opened a"],
  },
  {
    name: "what was told before maintenance is not told again; its end is told when that is over",
    quiet: [150, 300],
    happens: every(MINUTE, "a", "FFFPP"),
    incidents: ["a consecutive_failures 60-240 resolved"],
    told: ["90 incident.opened a", "300 incident.resolved a"],
  },
  {
    name: "an outage that is suppressed opens again at the next failure of any region",
    regions: 3,
    happens: [
      ...every(MINUTE, "a", "FFFFF"),
      ...every(MINUTE, "b", "FF", 1),
      ...every(MINUTE, "c", "FF", 2),
      [130, "global", "suppress 60"],
    ],
    incidents: [
      "a consecutive_failures 60- suppressed",
      "b consecutive_failures 61- suppressed",
      "c consecutive_failures 62- suppressed",
      "global global_outage 62- open",
    ],
    told: ["120 incident.opened global", "300 incident.opened global"],
  },
];

describe("results in, incidents and notices out", () => {
  for (const timeline of TIMELINES)
    test(timeline.name, () => {
      const { incidents, told } = play(timeline);
      const wanted = timeline.incidents.map((line) => line.replace(/ -/, " "));
      expect({ incidents, told }).toEqual({ incidents: wanted, told: timeline.told });
    });
});
