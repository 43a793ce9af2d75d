import type { Exchange, Step } from "../../run/run-facts.ts";
import { GESTURES, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf, withoutQuery } from "../../words.ts";
import { TYPES } from "./search.ts";
import { dataSince, readableAddress, textOf } from "./unsaid.ts";

const MOST_TYPED = 12;

/** What a query takes for its own: the end of a value, a space. */
const SIGNS = /[&#+]/;

/** A text that went into the query of an address as it was typed, so that one of its own signs ended it there or became another. */
export function detectUnescaped(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const typed = lastOf(
    run.facts.steps,
    MOST_TYPED,
    (step) =>
      TYPES.test(step.name) && !step.isFailed && step.end <= failed.from && SIGNS.test(textOf(step) ?? ""),
  );
  for (const step of typed.toReversed()) {
    const text = textOf(step)!.trim();
    const asked = dataSince(evidence, step);
    const isWhole = (one: Exchange) => valuesOf(one).some(([, value]) => value.trim() === text);
    const cut = asked.flatMap((one) => cutIn(one, text) ?? []).at(-1);
    if (!cut || asked.some(isWhole) || isTypedFurther(evidence, step)) continue;
    const address = withoutQuery(cut.one.url);
    return [
      {
        kind: "page_changed",
        title: `${requestOf({ ...cut.one, url: address }, run.facts)} was sent with ${quoted(cut.value, 60)} for ${quoted(cut.name, 60)}, though the test had typed ${quoted(text, 60)}: the text stands in the address as it is, where ${quoted(cut.sign, 3)} ${cut.sign === "+" ? "says a space" : "ends a value"} (it was not encoded)`,
        detail: null,
        step_id: step.step_id,
        events: [step.seq, cut.one.requestSeq ?? cut.one.seq],
        ts: cut.one.ts,
        is_new: null,
        weight: 0.92,
        about: `body ${cut.one.seq}`,
      },
    ];
  }
  return [];
}

const valuesOf = ({ url }: Exchange): [string, string][] => [...(URL.parse(url)?.searchParams ?? [])];

/** What of a text an address has as a value, where the text stands in it as it is and one of its signs made another of it. */
function cutIn(
  one: Exchange,
  text: string,
): { one: Exchange; name: string; value: string; sign: string } | null {
  const sign = SIGNS.exec(text)![0];
  const read = (sign === "+" ? text.replaceAll("+", " ") : text.slice(0, text.indexOf(sign))).trim();
  if (read === "") return null;
  const found = valuesOf(one).find(([, value]) => value.trim() === read);
  // An address that is sent has nothing of what stands behind its fragment.
  const stands = sign === "#" ? true : plain(one).includes(text);
  return found && stands ? { one, name: found[0], value: read, sign } : null;
}

/** As it was put together, with its signs. */
const plain = ({ url }: Exchange): string => readableAddress({ url: url.replaceAll("+", "%2B") });

/** Whether more was typed right behind it, so that an address may have had its beginning on the way. */
const isTypedFurther = ({ run }: Evidence, { seq, params }: Step): boolean =>
  run.facts.steps.some(
    (one) => one.seq > seq && GESTURES.test(one.name) && one.params.selector === params.selector,
  );
