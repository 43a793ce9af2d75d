import type { ComponentChildren, JSX } from "preact";
import type {
  ComparedDimension,
  Difference,
  DiffItem,
  DiffSide,
} from "../../../server/trace/format/diff/types.ts";
import { divergenceWords } from "../../../server/trace/format/diff/words.ts";
import { ExpectedReceived } from "../../ui/diff.tsx";
import { formatDuration, formatOffset } from "../../ui/format.ts";
import { ChevronLeft, External } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { Status } from "../../ui/status.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { chooseItem } from "./address.ts";
import { instantPath } from "./links.ts";
import { Sign } from "./list.tsx";
import { Moment, type Recorded } from "./moment.tsx";
import { type Values, valuesOf } from "./values.ts";

interface ItemProps {
  dimension: ComparedDimension;
  item: DiffItem;
  a: string;
  b: string;
  left: Recorded;
  right: Recorded;
}

const text = (of: unknown) => (typeof of === "string" && of !== "" ? of : undefined);

/** A value as JSON shows it, a text as it is. */
function Value({ of }: { of: unknown }): JSX.Element {
  if (of === undefined) return <span class="dim">none</span>;
  return <pre class="captured">{block(typeof of === "string" ? of : JSON.stringify(of, null, 2), 4000)}</pre>;
}

function Differences({ differences }: { differences: readonly Difference[] }): JSX.Element {
  return (
    <section class="section" aria-label="What differs">
      <table class="compare-values">
        <thead>
          <tr>
            <th scope="col">Where</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <tr key={difference.path}>
              <th scope="row" class="mono captured">
                {oneLine(difference.path, 300)}
              </th>
              <td class="is-a">
                <Value of={difference.a} />
              </td>
              <td class="is-b">
                <Value of={difference.b} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The facts of a side that its row does not show, by dimension. */
function factsOf(side: DiffSide, origin: number | null): [string, ComponentChildren][] {
  const facts: [string, ComponentChildren][] = [];
  if (side.ts !== undefined && origin !== null) facts.push(["At", `${formatOffset(side.ts - origin)} s`]);
  if (typeof side.duration_ms === "number") facts.push(["Took", formatDuration(side.duration_ms)]);
  if (typeof side.status === "number") facts.push(["Status", String(side.status)]);
  for (const [name, value] of [
    ["Address", text(side.url)],
    ["Kind", text(side.kind)?.replace("console.", "")],
    ["Text", text(side.text)],
    ["From", text(side.location)],
    ["Subject", text(side.subject)],
    ["Changed", text(side.target)],
  ] as const)
    if (value !== undefined && value !== "agent.action" && value !== "assertion")
      facts.push([name, <span class="captured">{oneLine(value, 500)}</span>]);
  for (const [name, value] of [
    ["State", side.state],
    ["Before", side.before],
    ["After", side.after],
    ["Change", side.change],
  ] as const)
    if (value !== undefined) facts.push([name, <Value of={value} />]);
  return facts;
}

function SideFacts({
  name,
  id,
  side,
  values,
  dimension,
  recorded,
}: {
  name: "A" | "B";
  id: string;
  side: DiffSide | undefined;
  values: Values;
  dimension: ComparedDimension;
  recorded: Recorded;
}): JSX.Element {
  const origin = recorded.summary?.first_ts ?? null;
  const error = text(side?.error);
  return (
    <section class="compare-side" aria-label={`In ${name}`}>
      <header class="section-head">
        <h2>
          <span class={`side side-${name.toLowerCase()}`}>{name}</span>
        </h2>
        {dimension === "steps" && side && <Status status={side.status === "failed" ? "failed" : "passed"} />}
        <span class="bar-space" />
        {side && (
          <>
            <a class="compare-open" href={instantPath(id, dimension, side, origin)}>
              Open in {name}
            </a>
            <a
              class="icon-link"
              href={instantPath(id, dimension, side, origin)}
              target="_blank"
              rel="noopener"
              title={`Open in ${name}, in a new tab`}
            >
              <External label={`Open in ${name}, in a new tab`} />
            </a>
          </>
        )}
      </header>
      {!side ? (
        <p class="dim">Not in {name}.</p>
      ) : (
        <>
          {dimension === "steps" && <p class="captured">{block(side.title, 600)}</p>}
          {error && <pre class="captured compare-error">{block(error, 2000)}</pre>}
          <ExpectedReceived {...values} max={600} />
          <dl class="pairs">
            {factsOf(side, origin).map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

/** What the sides of a step show in a better form. */
const SHOWN_OF_STEPS = new Set(["/status", "/title", "/error", "/expected", "/received"]);

/** One item on both sides: what differs, the values, and the page as it was. */
export function ItemView({ dimension, item, a, b, left, right }: ItemProps): JSX.Element {
  const differences = (item.detail?.differences ?? []).filter(
    ({ path }) => dimension !== "steps" || !SHOWN_OF_STEPS.has(path),
  );
  const values = valuesOf(item.a, item.b);
  const hasPicture = dimension === "steps" || dimension === "dom";
  return (
    <ScrollPane label="The chosen difference" class="compare-item">
      <header class="compare-item-head">
        {isNarrow.value && (
          <button
            type="button"
            class="icon-button"
            aria-label="Back to the list"
            onClick={() => (history.length > 1 ? history.back() : chooseItem(null))}
          >
            <ChevronLeft />
          </button>
        )}
        <Sign change={item.change} />
        <p class="captured">
          {block(item.change === "same" ? "The same in both." : divergenceWords(dimension, item), 1200)}
        </p>
      </header>
      <div class="compare-sides">
        <SideFacts name="A" id={a} side={item.a} values={values.a} dimension={dimension} recorded={left} />
        <SideFacts name="B" id={b} side={item.b} values={values.b} dimension={dimension} recorded={right} />
      </div>
      {differences.length > 0 && <Differences differences={differences} />}
      {hasPicture && <Moment a={item.a} b={item.b} left={left} right={right} />}
    </ScrollPane>
  );
}
