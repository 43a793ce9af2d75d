import type { JSX, TargetedKeyboardEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ChevronDown, ChevronRight } from "../../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../../ui/message.tsx";
import { CopyButton } from "../../../ui/parts.tsx";
import { oneLine } from "../../../ui/text.ts";
import { useLoad } from "../../../ui/use-load.ts";
import { VirtualList } from "../../../ui/virtual.tsx";
import { useModel } from "../../model/model.ts";
import type { ElementId, Tree, TreeNode } from "./protocol.ts";
import { choose, inspectState } from "./state.ts";
import { parentsOf, shownLines, treeText } from "./tree-text.ts";
import { numberOf } from "./try.tsx";

const MOST_LINES = 5000;
const ROW = 24;
const INDENT = 14;

type Hover = (ids: ElementId[] | null) => void;

function Line({ node }: { node: TreeNode }): JSX.Element {
  if (node.role === "text") return <span class="ellipsis captured">{oneLine(node.name, 300)}</span>;
  return (
    <>
      <span class="tree-role">{oneLine(node.role, 40)}</span>
      {node.name && <span class="ellipsis captured">“{oneLine(node.name, 300)}”</span>}
      {node.states.length > 0 && (
        <span class="dim mono">{oneLine(node.states.map((state) => `[${state}]`).join(" "), 200)}</span>
      )}
      {node.value && <span class="ellipsis dim captured">{oneLine(node.value, 300)}</span>}
    </>
  );
}

function Lines({ tree, filter, onHover }: { tree: Tree; filter: string; onHover: Hover }): JSX.Element {
  const model = useModel();
  const { nodes } = tree;
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const [at, setAt] = useState(0);
  const parents = useMemo(() => parentsOf(nodes), [tree]);
  const shown = useMemo(() => shownLines(nodes, parents, closed, filter), [tree, closed, filter]);
  const place = Math.max(0, shown.indexOf(at));
  const isParent = (index: number) => (nodes[index + 1]?.depth ?? 0) > (nodes[index]?.depth ?? 0);
  const isClosed = (index: number) => closed.has(index) && !filter.trim();

  const go = (next: number | undefined): void => {
    const node = next === undefined ? undefined : nodes[next];
    if (next === undefined || !node) return;
    setAt(next);
    onHover([node.id]);
  };
  const fold = (index: number, isFolded: boolean): void => {
    const next = new Set(closed);
    if (isFolded) next.add(index);
    else next.delete(index);
    setClosed(next);
  };
  const inspect = (index: number | undefined): void => {
    const node = index === undefined ? undefined : nodes[index];
    if (node) choose(model, node.id);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const here = shown[place] ?? 0;
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(shown[place + 1]),
      ArrowUp: () => go(shown[place - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () =>
        isParent(here) && isClosed(here) ? fold(here, false) : isParent(here) && go(shown[place + 1]),
      ArrowLeft: () => (isParent(here) && !isClosed(here) ? fold(here, true) : go(parents[here])),
      Enter: () => inspect(here),
    };
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  if (shown.length === 0) return <Message title="Nothing in the tree matches." />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are the tree's, which lies within
    <div class="tree-room" onKeyDown={onKeyDown} role="presentation" onMouseLeave={() => onHover(null)}>
      <VirtualList
        count={shown.length}
        rowHeight={ROW}
        role="tree"
        label="Accessibility tree"
        active={place}
        activeId={`aria-node-${shown[place]}`}
        row={(index, style) => {
          const line = shown[index] ?? 0;
          const node = nodes[line];
          if (!node) return null;
          const hasChildren = isParent(line);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the keys
            <div
              key={line}
              id={`aria-node-${line}`}
              role="treeitem"
              aria-level={node.depth + 1}
              aria-expanded={hasChildren ? !isClosed(line) : undefined}
              aria-selected={index === place}
              class={index === place ? "row tree-line is-active" : "row tree-line"}
              style={{ ...style, paddingLeft: `${6 + Math.min(node.depth, 30) * INDENT}px` }}
              onMouseEnter={() => onHover([node.id])}
              onClick={() => go(line)}
              onDblClick={() => inspect(line)}
            >
              {/* biome-ignore lint/a11y/noStaticElementInteractions: by keyboard the arrows fold */}
              <span
                class="tree-fold"
                role="presentation"
                onClick={(event) => {
                  if (!hasChildren) return;
                  event.stopPropagation();
                  fold(line, !isClosed(line));
                }}
              >
                {hasChildren && (isClosed(line) ? <ChevronRight /> : <ChevronDown />)}
              </span>
              <Line node={node} />
            </div>
          );
        }}
      />
    </div>
  );
}

/** The page as assistive technology is told of it. */
export function TreeView({ onHover }: { onHover: Hover }): JSX.Element {
  const model = useModel();
  const { link } = inspectState(model);
  const [filter, setFilter] = useState("");
  const at = link.value;
  const { data, error } = useLoad(at && `${numberOf(at)} tree`, () =>
    at ? at.call("tree", MOST_LINES) : Promise.reject(new DOMException("No page is shown.", "AbortError")),
  );
  if (error) return <Failed error={error} />;
  if (!data) return <Loading label="The accessibility tree" />;
  return (
    <div class="panel-column">
      <div class="subbar">
        <input
          type="search"
          class="input"
          aria-label="Filter the tree"
          placeholder="Filter: role, name, state"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span class="dim num tree-count">{data.nodes.length.toLocaleString("en")} lines</span>
        <CopyButton text={treeText(data.nodes)} what="Accessibility tree" />
      </div>
      {data.nodes.length === 0 ? (
        <Message title="Assistive technology is told nothing of this page." />
      ) : (
        <Lines tree={data} filter={filter} onHover={onHover} />
      )}
      {data.leftOut > 0 && (
        <p class="notice dim">
          The page is larger: {data.leftOut.toLocaleString("en")} more elements are left out of the tree.
        </p>
      )}
    </div>
  );
}
