import type { JSX } from "preact";
import { plural } from "../../../ui/format.ts";
import { Failed, Loading, Message } from "../../../ui/message.tsx";
import { CopyButton, Facts, Section } from "../../../ui/parts.tsx";
import { ScrollPane } from "../../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../../ui/text.ts";
import { useLoad } from "../../../ui/use-load.ts";
import { useModel } from "../../model/model.ts";
import type { ElementDetail, ElementId, Suggestion } from "./protocol.ts";
import { choose, inspectState } from "./state.ts";
import { numberOf } from "./try.tsx";

const countText = (count: number): string => plural(count, "match", "matches");

function Suggested({ suggestion, isBest }: { suggestion: Suggestion; isBest: boolean }): JSX.Element {
  const model = useModel();
  const { typed } = inspectState(model);
  const { code, target, count } = suggestion;
  return (
    <li class={isBest ? "suggestion is-best" : "suggestion"}>
      <div class="pick-line">
        <button
          type="button"
          class="line-button"
          title="Try it"
          onClick={() => {
            typed.value = code;
          }}
        >
          <code class="ellipsis captured">{oneLine(code, 400)}</code>
          <span class={count === 1 ? "num dim" : "num is-warning"}>{countText(count)}</span>
        </button>
        <CopyButton text={code} what="Locator" />
      </div>
      {target && (
        <div class="pick-line suggestion-target">
          <code class="ellipsis dim captured" title="The same in a scenario's step">
            {oneLine(target, 400)}
          </code>
          <CopyButton text={target} what="Scenario target" />
        </div>
      )}
    </li>
  );
}

function Path({
  detail,
  onHover,
}: {
  detail: ElementDetail;
  onHover: (ids: ElementId[] | null) => void;
}): JSX.Element {
  const model = useModel();
  return (
    <nav class="element-path" aria-label="Elements around it">
      {detail.ancestors.slice(-6).map((around) => (
        <button
          key={around.id}
          type="button"
          class="link-button captured mono"
          onMouseEnter={() => onHover([around.id])}
          onMouseLeave={() => onHover(null)}
          onFocus={() => onHover([around.id])}
          onBlur={() => onHover(null)}
          onClick={() => choose(model, around.id)}
        >
          {oneLine(around.tag, 40)}
        </button>
      ))}
      <strong class="captured mono">{oneLine(detail.tag, 60)}</strong>
    </nav>
  );
}

function Facets({ detail }: { detail: ElementDetail }): JSX.Element {
  const { x, y, width, height } = detail.box;
  const rows: (readonly [string, string | JSX.Element])[] = [
    ["Role", detail.role ? oneLine(detail.role, 60) : "none"],
    ["Name", detail.name ? oneLine(detail.name, 500) : "none"],
  ];
  if (detail.description) rows.push(["Description", oneLine(detail.description, 500)]);
  if (detail.states.length > 0) rows.push(["States", oneLine(detail.states.join(", "), 300)]);
  if (detail.value !== null)
    rows.push(["Value", <code key="value">{block(detail.value, 500) || "empty"}</code>]);
  if (detail.text && detail.text !== detail.name) rows.push(["Text", oneLine(detail.text, 500)]);
  rows.push(["Box", `${width} × ${height} at ${x}, ${y}`]);
  if (detail.isHidden) rows.push(["Seen", "Hidden from assistive technology"]);
  return <Facts rows={rows} />;
}

interface ElementViewProps {
  /** The one that was found by what is tried: stands here until another is chosen. */
  only: ElementId | null;
  onHover: (ids: ElementId[] | null) => void;
}

/** The chosen element: what finds it, what it is, and what is written on it. */
export function ElementView({ only, onHover }: ElementViewProps): JSX.Element {
  const model = useModel();
  const { chosen, link, testIdAttribute } = inspectState(model);
  const at = link.value;
  const id = at && chosen.value?.url === at.url ? chosen.value.id : only;
  const { data, error } = useLoad(
    id === null || !at ? null : `${numberOf(at)} ${testIdAttribute.value} ${id}`,
    async () => ({
      detail: at && id !== null ? await at.call("detail", id, testIdAttribute.value) : null,
    }),
  );
  if (id === null)
    return (
      <Message title="No element is chosen.">
        <p class="dim">
          Press <kbd>p</kbd> and point at one on the page, choose a match above, or go through the
          accessibility tree.
        </p>
      </Message>
    );
  if (error) return <Failed error={error} />;
  const detail = data?.detail;
  if (!detail) return <Loading label="The element" />;
  return (
    <ScrollPane label="Element">
      <Path detail={detail} onHover={onHover} />
      <Section title="Locators">
        <ol class="suggestions">
          {detail.suggestions.map((suggestion, index) => (
            <Suggested key={suggestion.code} suggestion={suggestion} isBest={index === 0} />
          ))}
        </ol>
      </Section>
      <Section title="Accessibility">
        <Facets detail={detail} />
      </Section>
      <Section title="Attributes">
        {detail.attributes.length === 0 ? (
          <p class="dim">None.</p>
        ) : (
          <Facts
            rows={detail.attributes.map(([name, value]) => [
              oneLine(name, 100),
              <code key={name}>{block(value, 500)}</code>,
            ])}
          />
        )}
      </Section>
    </ScrollPane>
  );
}
