import { PRESSES } from "../../detectors/page/idle.ts";
import { queryOf } from "../../exchanges/sent.ts";
import { wantedOf } from "../../page/hidden-from-role.ts";
import { isMissing } from "../../run/missing-element.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { dayOf, monthOf, monthsOf } from "../../values/dates.ts";
import { quoted, requestOf } from "../../words.ts";

/** A month next to the one that is meant is more often a mistake of a script than of a clock. */
const FEWEST_APART = 2;
const TURNS = /next|prev|forward|back|later|earlier|›|‹|→|←/i;

/** A page that opens on another month than that of the run, which the test looks for: what the product takes for now is another time. */
export function detectOtherMonth(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const now = dayOf(failed.from)?.slice(0, 7);
  if (!run.page || !now || !isMissing(evidence) || monthOf(wantedOf(evidence).name ?? "") !== now) return [];
  const headed = run.page.elements.filter(({ role, isHidden }) => role === "heading" && !isHidden);
  const shown = headed.flatMap(({ own }) => (monthOf(own) === null ? [] : [own]));
  const [is, ...others] = shown;
  const action = actionBefore(run.facts, failed);
  const isTurned = action !== null && PRESSES.test(action.name) && TURNS.test(action.title);
  const month = is === undefined ? null : monthOf(is);
  if (is === undefined || month === null || others.length > 0 || isTurned) return [];
  if (Math.abs(monthsOf(month) - monthsOf(now)) < FEWEST_APART) return [];
  const asked = run.facts.exchanges.findLast(
    (one) => one.ts <= failed.to && queryOf(one).some(([, value]) => value === month),
  );
  const way = month > now ? "ahead" : "behind";
  return [
    {
      kind: "time",
      title: `The page opened on ${quoted(is, 40)}${asked ? `, and asked ${requestOf(asked, run.facts)} for it` : ""}, though the run was in ${now}: the clock by which the product tells the present month is ${way}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [run.page.shot.seq, ...(asked ? [asked.seq] : [])],
      ts: failed.from,
      is_new: null,
      weight: 0.82,
    },
  ];
}
