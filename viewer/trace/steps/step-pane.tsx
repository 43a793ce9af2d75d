import type { CSSProperties, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { hasTarget, stepWords } from "../../../server/trace/format/step-words.ts";
import { formatDuration, formatOffset, plural } from "../../ui/format.ts";
import {
  CheckCircle,
  ChevronDown,
  ChevronRight,
  CrossCircle,
  Network,
  Pointer,
  Search,
  Steps,
  Terminal,
  Thought,
} from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import { equalHeights, ownHeights } from "../../ui/row-heights.ts";
import { oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { findState } from "../model/find.ts";
import { useModel } from "../model/model.ts";
import { findRow } from "../model/row-list.ts";
import type { StepNode } from "../model/step-tree.ts";
import { areAllShown, noiseCount, showAllSteps, shownPlace, stepNodes, toggleStep } from "./nodes.ts";

const ROW = 28;
/** A row whose step says on what. */
const TWO_LINES = 44;
/** Steps beyond which all rows are as high, lest each of them is read for its height. */
const MEASURED = 20_000;
const INDENT = 14;

function KindIcon({ node }: { node: StepNode }): JSX.Element {
  const { step } = node;
  if (step.status === "failed") return <CrossCircle class="is-failed" label="Failed" />;
  if (step.kind === "assertion") return <CheckCircle class="is-passed" label="Passed assertion" />;
  if (step.kind === "agent.thought") return <Thought class="dim" />;
  return node.childCount > 0 ? <Steps class="dim" /> : <Pointer class="dim" />;
}

function Badges({ node }: { node: StepNode }): JSX.Element {
  const { console_errors: errors, bad_requests: bad } = node.step;
  const hits = findState(useModel()).hitsByStep.value.get(node.step.step_id) ?? 0;
  return (
    <>
      {hits > 0 && (
        <span class="badge is-hit" title={plural(hits, "hit")}>
          <Search label={plural(hits, "hit")} />
          {hits}
        </span>
      )}
      {bad > 0 && (
        <span class="badge is-failed" title={plural(bad, "failed request")}>
          <Network label={plural(bad, "failed request")} />
          {bad}
        </span>
      )}
      {errors > 0 && (
        <span class="badge is-failed" title={plural(errors, "console error")}>
          <Terminal label={plural(errors, "console error")} />
          {errors}
        </span>
      )}
    </>
  );
}

interface StepRowProps {
  node: StepNode;
  isActive: boolean;
  /** Whether any step of the list has steps within, so that all keep room for the fold. */
  isNested: boolean;
  style: CSSProperties;
}

function StepRow({ node, isActive, isNested, style }: StepRowProps): JSX.Element {
  const model = useModel();
  const { step, depth, childCount, isCollapsed } = node;
  const title = oneLine(step.title, 300) || step.kind;
  const { verb, target } = stepWords(title);
  const took = model.isUnderWay(step) ? "under way" : formatDuration(step.duration_ms);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys move the selection
    <div
      id={`step-${step.index}`}
      class={`row step-row${isActive ? " is-active" : ""}${step.status === "failed" ? " is-bad" : ""}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isActive}
      aria-expanded={childCount > 0 ? !isCollapsed : undefined}
      style={style}
      title={`${title}\n${formatOffset(model.elapsed(step.ts))} s, ${took}${
        step.error ? `\n${oneLine(step.error, 300)}` : ""
      }`}
      onClick={() => model.selectStep(step.step_id, { isJump: true })}
    >
      <span class="step-indent" style={{ width: `${depth * INDENT}px` }} />
      {childCount > 0 ? (
        <button
          type="button"
          class="twist"
          tabIndex={-1}
          aria-label={isCollapsed ? "Unfold" : "Fold"}
          onClick={(event) => {
            event.stopPropagation();
            toggleStep(model, step.step_id);
          }}
        >
          {isCollapsed ? <ChevronRight /> : <ChevronDown />}
        </button>
      ) : (
        <span class={isNested ? "twist" : undefined} />
      )}
      <KindIcon node={node} />
      <span class="step-title captured">
        <span class="ellipsis">{verb}</span>
        {target !== null && <span class="step-target ellipsis">{target}</span>}
      </span>
      <Badges node={node} />
      <span class="num dim step-time">{took}</span>
    </div>
  );
}

/** The steps of the trace, nested, with how long each took and what went wrong in it. */
export function StepPane(): JSX.Element {
  const model = useModel();
  // Functions here ask for the nodes anew: the first ones, kept with the page, would hold the first nodes for ever.
  const listed = stepNodes(model);
  const nodes = listed.value;
  const current = model.step.value;
  const active = shownPlace(model).value;
  const isNested = useMemo(
    () => findRow(listed.peek(), (node) => node.childCount > 0) !== undefined,
    [nodes],
  );
  const heights = useMemo(() => {
    const { length } = nodes;
    if (length > MEASURED) return equalHeights(length, TWO_LINES);
    return ownHeights(length, (row) =>
      hasTarget(listed.peek().at(row)?.step.title ?? "") ? TWO_LINES : ROW,
    );
  }, [nodes]);
  const total = Math.max(model.summary.value?.step_count ?? 0, model.steps.value.length);
  const filter = model.stepFilter.value;
  const noise = noiseCount(model).value;
  const isNarrowed = filter !== "" || model.window.value !== null;
  return (
    <section
      class="pane-body step-pane"
      aria-label="Steps"
      onWheel={(event) => event.deltaY < 0 && model.stopFollowing()}
      onTouchMove={() => model.stopFollowing()}
    >
      <div class="toolbar">
        <Search />
        <input
          id="step-filter"
          class="bare-input"
          type="search"
          aria-label="Filter steps"
          placeholder="Filter steps"
          value={filter}
          spellcheck={false}
          onInput={(event) => {
            model.stepFilter.value = event.currentTarget.value;
          }}
        />
        {noise > 0 && filter === "" && (
          <button
            type="button"
            class="toggle num"
            aria-pressed={areAllShown.value}
            title="Hooks, fixtures and what only reads the page"
            onClick={() => showAllSteps(!areAllShown.value)}
          >
            {areAllShown.value ? "All" : `${noise} hidden`}
          </button>
        )}
        <span class="dim num" role="status">
          {isNarrowed ? `${nodes.length} of ${total}` : plural(total, "step")}
        </span>
      </div>
      {nodes.length === 0 ? (
        <Message title={isNarrowed ? "No step matches." : "No steps were recorded."} />
      ) : (
        <VirtualList
          label="Steps"
          role="tree"
          count={nodes.length}
          rowHeight={heights}
          active={active}
          activeId={active >= 0 && current ? `step-${current.index}` : null}
          row={(index, style) => {
            const node = listed.peek().at(index);
            if (!node) return null;
            return (
              <StepRow
                key={node.step.step_id}
                node={node}
                isActive={index === active}
                isNested={isNested}
                style={style}
              />
            );
          }}
        />
      )}
    </section>
  );
}
