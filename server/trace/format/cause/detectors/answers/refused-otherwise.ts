import { ownRefusals } from "../../correlation/refused.ts";
import { dataIn } from "../../exchanges/asked-again.ts";
import { otherIn } from "../../exchanges/difference-fields.ts";
import { rankOf } from "../../exchanges/difference-rank.ts";
import { tell } from "../../exchanges/difference-words.ts";
import { differencesOf, varyingIn } from "../../exchanges/differences.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, bodyOf, requestOf } from "../../words.ts";

const MOST = 20;

/** Requests that are refused in every pass as well, where the refusal says something else: a page shows what it reads in it. */
export function detectRefusedOtherwise(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  return ownRefusals(evidence)
    .slice(-MOST)
    .flatMap((one) => findingOf(evidence, one) ?? []);
}

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const { facts } = run;
  const plainOf = (exchange: Exchange | null | undefined, { bodies }: RunEvidence): unknown => {
    const text = exchange && exchange.status === one.status ? bodyOf(exchange, bodies) : undefined;
    return text === undefined ? undefined : facts.normaliser.json(dataIn(text));
  };
  const mine = plainOf(one, run);
  const theirs = passes.map((pass) => plainOf(ofSameTurn(one, facts, pass.facts), pass));
  if (mine === undefined || theirs.includes(undefined)) return null;
  const varying = varyingIn(theirs.map((plain) => [plain]));
  const [best] = differencesOf(theirs[0], mine, varying)
    .map((difference) => ({ difference, rank: rankOf(evidence, difference) }))
    .toSorted((a, b) => b.rank - a.rank);
  if (!best) return null;
  const { difference, rank } = best;
  return {
    kind: "answer_changed",
    title: `${requestOf(one, facts)} was refused with ${one.status} as in the last pass, but answered ${tell(difference, evidence)}`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    is_new: true,
    // Figures and states in a refusal are of the moment; what pages go by is a field, or a text that is shown.
    weight: rank >= 1 ? 0.93 : difference.now === undefined ? 0.8 : 0.55,
    about: aboutUrl(one.url, facts, one.operation),
    place: difference.path,
    ...otherIn(difference),
  };
}
