import { givenIn } from "../../exchanges/sent.ts";
import { OPENS } from "../../page/filled.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { quoted } from "../../words.ts";
import { type LastWrite, lastWrite, sentAnew } from "./last-write.ts";

const TICKS = /(?:^|\.)(?:check|setChecked)$/;
const UNTICKS = /(?:^|\.)uncheck$/;
const FEWEST = 2;

/** Several things of one kind that were ticked, where the write that followed was sent with fewer of them. */
export function detectFewerSent(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const last = lastWrite(evidence);
  if (!last) return [];
  const ticked = tickedBefore(evidence, last.action);
  const list = ticked.length < FEWEST ? null : listSent(evidence, last);
  if (!list || list.count === 0 || list.count >= ticked.length) return [];
  const how = `${list.count === 1 ? "1 item" : `${list.count} items`} for ${quoted(list.name, 60)}, though the test had ticked ${ticked.length} of them: the others were left out`;
  return [{ ...sentAnew(last, run, ticked.at(-1)!, how), weight: 0.9 }];
}

/** The boxes of one kind, told apart by their figures, that were ticked before an action since a page was opened; none where others were ticked, too. */
function tickedBefore({ run: { facts } }: Evidence, action: Step): Step[] {
  const opened = facts.steps.findLast(({ name, seq }) => OPENS.test(name) && seq < action.seq)?.seq ?? 0;
  const since = facts.steps.filter(
    ({ seq, page, isFailed }) => seq > opened && seq < action.seq && page === action.page && !isFailed,
  );
  const ticks = since.filter(({ name }) => TICKS.test(name));
  const kinds = new Set(ticks.map(({ title }) => title.replace(/\d+/g, "0")));
  const isSeveral = new Set(ticks.map(({ title }) => title)).size === ticks.length && kinds.size === 1;
  return isSeveral && !since.some(({ name }) => UNTICKS.test(name)) ? ticks : [];
}

/** The one list of ids or names that a write was sent with. */
function listSent({ run }: Evidence, { write }: LastWrite): { name: string; count: number } | null {
  const given = givenIn(write, run);
  const lists = Object.entries(isRecord(given) ? given : {}).flatMap(([name, value]) =>
    Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "number")
      ? [{ name, count: value.length }]
      : [],
  );
  return lists.length === 1 ? lists[0]! : null;
}
