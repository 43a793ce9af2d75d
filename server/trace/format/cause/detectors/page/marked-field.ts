import { oneLine } from "../../../error-text.ts";
import { SECRET } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, TROUBLE } from "../../words.ts";

/** Elements behind a field in which its message is looked for. */
const MOST_BESIDE = 20;
const LONGEST_MESSAGE = 200;

/** A field that the page marks as invalid, with what it holds and what the page says of it. */
export function markedField(
  evidence: Evidence,
  field: SeenElement,
): Pick<Finding, "kind" | "title" | "is_new" | "weight" | "isMarked"> {
  const { name, attributes, tag } = field;
  const value = attributes.value ?? "";
  const isTold = value.trim() !== "" && /^(?:input|textarea)$/.test(tag) && !isSecret(field);
  const said = messageBeside(evidence, field);
  return {
    kind: "page_message",
    title: `The field ${quoted(name || attributes.name || tag, 80)} ${isTold ? `with ${quoted(value, 60)} ` : ""}was marked as invalid${said === null ? "" : `: ${quoted(said, 100)}`}`,
    is_new: evidence.passes.some(({ page }) => page !== null) ? !isMarkedThere(evidence, field) : null,
    weight: 0.7,
    isMarked: true,
  };
}

const isSecret = ({ name, attributes }: SeenElement): boolean =>
  attributes.type === "password" || SECRET.test(`${name} ${attributes.name ?? ""}`);

function isMarkedThere({ passes }: Evidence, { name, tag }: SeenElement): boolean {
  return passes.some(({ page }) =>
    page?.elements.some(
      (one) => one.name === name && one.tag === tag && one.attributes["aria-invalid"] === "true",
    ),
  );
}

/** What the field is described by, or what stands behind it before the next field; null where none of it is a message. */
function messageBeside(evidence: Evidence, field: SeenElement): string | null {
  const elements = evidence.run.page?.elements ?? [];
  const { "aria-errormessage": error = "", "aria-describedby": described = "" } = field.attributes;
  const ids = new Set(`${error} ${described}`.split(/\s+/).filter((id) => id !== ""));
  const named = ids.size === 0 ? [] : elements.filter(({ attributes: { id } }) => id && ids.has(id));
  const [around] = aroundOf(elements, field);
  const inside = around ? insideOf(elements, around) : [];
  const behind = inside.slice(inside.indexOf(field) + 1).slice(0, MOST_BESIDE);
  const next = behind.findIndex(({ tag }) => OF_ANOTHER.test(tag));
  const own = next < 0 ? behind : behind.slice(0, next);
  const message = [...named, ...own].find((one) => isMessage(evidence, one));
  return message ? oneLine(message.text) : null;
}

/** Where another field begins, or what a person presses. */
const OF_ANOTHER = /^(?:input|textarea|select|label|button|option)$/;
const OF_ERRORS = /error|invalid|alert|warn/i;

/** Whether it says something that no pass says there; without a pass, by its words or by what it is called: a field may have a hint beside it. */
function isMessage({ passes, run }: Evidence, { isHidden, text, role, attributes }: SeenElement): boolean {
  const said = oneLine(text);
  if (isHidden || said.length < 3 || said.length > LONGEST_MESSAGE || !/\p{L}{2}/u.test(said)) return false;
  const pages = passes.flatMap(({ page }) => page ?? []);
  if (pages.length === 0)
    return TROUBLE.test(said) || OF_ERRORS.test(`${role} ${attributes.class ?? ""} ${attributes.id ?? ""}`);
  const { normaliser } = run.facts;
  const words = normaliser.text(said);
  return !pages.some(({ elements }) => elements.some((one) => normaliser.text(oneLine(one.text)) === words));
}
