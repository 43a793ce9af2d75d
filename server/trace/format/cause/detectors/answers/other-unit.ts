import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** Answers of one pass to one request. */
const MOST_ALIKE = 8;

/** Moments from 2001 to 2096 by what they are counted in. */
const UNITS = [
  { name: "seconds", from: 1e9, to: 4e9 },
  { name: "milliseconds", from: 1e12, to: 4e12 },
];

/** An answer that counts a moment in seconds where every pass counts it in milliseconds, or the reverse: the moment itself is another one in each run. */
export function detectOtherUnit(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const seen = new Set<string>();
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const key = exchangeKey(one, run.facts);
    // Each answer of a request has the same form.
    if (seen.has(key)) continue;
    seen.add(key);
    const usual = passes.map((pass) =>
      exchangesOf(pass.facts, key)
        .slice(-MOST_ALIKE)
        .flatMap((other) => momentsIn(other, pass)),
    );
    if (usual.some((moments) => moments.length === 0)) continue;
    for (const { path, value } of momentsIn(one, run)) {
      const same = usual.map((moments) => moments.filter((other) => shapeOf(other.path) === shapeOf(path)));
      const units = new Set(same.flat().map((other) => unitOf(other.value)));
      const [before] = same[0]!;
      const [unit] = units;
      if (!before || same.some((list) => list.length === 0) || units.size > 1 || unit === unitOf(value))
        continue;
      return [
        {
          kind: "answer_changed",
          title: `${requestOf(one, run.facts)} answered ${quoted(String(value), 30)} for ${quoted(path, 60)}, a moment in ${unitOf(value)}, where the last pass had it in ${unit} (${quoted(String(before.value), 30)})`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: one.end ?? one.ts,
          is_new: true,
          weight: 0.9,
          about: aboutUrl(one.url, run.facts, one.operation),
          isOther: "value",
        },
      ];
    }
  }
  return [];
}

/** The numbers of an answer that may be moments. */
const momentsIn = (one: Exchange, { bodies }: RunEvidence): Leaf[] =>
  leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).filter(({ value }) => unitOf(value) !== null);

const unitOf = (value: unknown): string | null =>
  typeof value === "number"
    ? (UNITS.find(({ from, to }) => value >= from && value <= to)?.name ?? null)
    : null;

const shapeOf = (path: string): string => path.replace(/(^|\.)\d+(?=\.|$)/g, "$1*");
