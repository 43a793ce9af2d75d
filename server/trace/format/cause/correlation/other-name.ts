import { oncePer } from "../once.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, pathOf, quoted, requestOf } from "../words.ts";
import { ownRefusals } from "./refused.ts";
import { answersTo } from "./tokens.ts";

/** The last requests that were refused. */
const MOST = 5;
/** Requests of a pass that ask for one thing of a kind. */
const MOST_ALIKE = 20;
/** Shorter parts of a path stand in many answers by chance. */
const SHORTEST = 4;

/** The address of a refused request has another field of a thing than in every pass: its id, where the server knows it by its number. */
export function detectOtherName(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  return ownRefusals(evidence)
    .filter(({ status }) => status! < 500)
    .slice(-MOST)
    .flatMap((one) => findingOf(evidence, one) ?? []);
}

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const parts = pathOf(one.url).split("/");
  for (const [at, part] of parts.entries()) {
    if (part.length < SHORTEST) continue;
    const mine = fieldOf(part, one, run);
    if (!mine) continue;
    const theirs = passes.map((pass) => fieldsAt(at, one, pass));
    const usual = theirs[0]?.[0];
    // Where one of them asks by that field as well, servers know it by both.
    const isUsual = theirs.every((fields) => fields.length > 0 && fields.every((field) => field === usual));
    const value = usual === undefined || usual === mine.name ? undefined : valueIn(mine.giver, usual, run);
    if (!isUsual || value === undefined || value === part) continue;
    return {
      kind: "answer_changed",
      title: `The address has the ${quoted(mine.name, 40)} that ${requestOf(mine.giver, run.facts)} answered, where the passes have its ${quoted(usual!, 40)} (${quoted(value, 40)})`,
      detail: null,
      step_id: one.step_id,
      events: [mine.giver.seq, one.seq],
      ts: one.ts,
      is_new: true,
      weight: 0.8,
      about: `gave ${one.seq}`,
    };
  }
  return null;
}

interface Field {
  name: string;
  giver: Exchange;
}

/** The field of the last answer before a request that had this value. */
function fieldOf(value: string, { ts }: Exchange, run: RunEvidence): Field | null {
  const wanted = decoded(value);
  for (const giver of answersTo(run, ts).toReversed()) {
    const leaf = leavesIn(run, giver).find((known) => known.value === wanted);
    if (leaf) return { name: nameIn(leaf.path), giver };
  }
  return null;
}

/** By which fields a pass asks for such things: in that place of the address, the rest of which is the same. */
function fieldsAt(at: number, { method, url }: Exchange, pass: RunEvidence): string[] {
  const parts = pathOf(url).split("/");
  return lastOf(pass.facts.exchanges, MOST_ALIKE, (other) => {
    const theirs = pathOf(other.url).split("/");
    return (
      other.method === method &&
      theirs.length === parts.length &&
      theirs.every((part, place) => place === at || part === parts[place])
    );
  }).flatMap((other) => fieldOf(pathOf(other.url).split("/")[at]!, other, pass)?.name ?? []);
}

const valueIn = (giver: Exchange, name: string, run: RunEvidence): string | undefined => {
  const leaf = leavesIn(run, giver).find(({ path }) => nameIn(path) === name);
  return leaf && String(leaf.value);
};

/** The values of an answer, which is read for every part of an address. */
const leavesIn = oncePer((run: RunEvidence, one: Exchange) =>
  leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")),
);

const nameIn = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
