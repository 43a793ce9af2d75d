import { chainOf, type ServedElement, servedElements } from "../../exchanges/served-elements.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, bodyOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST_AROUND = 30;

/** A form that was refused, and a hidden field of it that has a value and no name: browsers send no such field (HTML, constructing the entry list). */
export function detectNamelessField(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const refused = facts.exchanges.findLast(
    (one) =>
      one.method === "POST" &&
      one.type === "document" &&
      one.ts <= failed.to &&
      isFailedExchange(one) &&
      !isForeign(one.url, facts),
  );
  const page =
    refused &&
    facts.exchanges.findLast(
      ({ type, ts, status }) => type === "document" && ts < refused.ts && status === 200,
    );
  const field =
    page &&
    servedElements(bodyOf(page, run.bodies) ?? "").find(
      (one) => isNameless(one) && isOfForm(one, refused, page),
    );
  if (!field) return [];
  const id = field.attributes.get("id");
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(page, facts)} came with a hidden field${id === undefined ? "" : ` ${quoted(id, 60)}`} that has a value and no name, so that ${requestOf(refused, facts)} was sent without it and answered with ${refused.status}`,
      detail: null,
      step_id: refused.step_id,
      events: [page.seq, refused.seq],
      ts: refused.end ?? refused.ts,
      is_new: null,
      weight: 0.99,
      about: aboutUrl(refused.url, facts),
    },
  ];
}

const isNameless = ({ tag, attributes }: ServedElement): boolean =>
  tag === "input" &&
  attributes.get("type")?.toLowerCase() === "hidden" &&
  (attributes.get("value") ?? "") !== "" &&
  (attributes.get("name") ?? "") === "";

/** Whether it stands in the form that was sent. */
function isOfForm(field: ServedElement, sent: Exchange, page: Exchange): boolean {
  const form = chainOf(field, MOST_AROUND).find(({ tag }) => tag === "form");
  const action = form && URL.parse(form.attributes.get("action") ?? "", page.url);
  return action != null && action.pathname === pathOf(sent.url);
}
