import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Picture } from "../../../ui/icons.tsx";
import { isNarrow } from "../../../ui/media.ts";
import { Loading, Message } from "../../../ui/message.tsx";
import { useModel } from "../../model/model.ts";
import { RecordedPage } from "../recorded-page.tsx";
import { showPage } from "../view-switch.tsx";
import { ElementView } from "./element.tsx";
import type { ElementId } from "./protocol.ts";
import { canInspect, inspectState, send } from "./state.ts";
import { TreeView } from "./tree.tsx";
import { TryField, useTrial } from "./try.tsx";

const VIEWS = [
  { id: "element", title: "Element" },
  { id: "tree", title: "Accessibility tree" },
] as const;

/** Draws on the page what the reader points at here, else what was tried or chosen last. */
function useOutlines(matches: readonly ElementId[]) {
  const { link, chosen, isPicking } = inspectState(useModel());
  const [hovered, setHovered] = useState<ElementId[] | null>(null);
  const [last, setLast] = useState<"tried" | "chosen">("tried");
  const own = chosen.value;
  const key = matches.join();
  useEffect(() => setLast("tried"), [key]);
  useEffect(() => setLast(own ? "chosen" : "tried"), [own]);
  const at = link.value;
  const isOwn = last === "chosen" && own !== null && own.url === at?.url;
  const ids = hovered ?? (isOwn && own ? [own.id] : matches);
  useEffect(() => {
    if (!at || isPicking.value) return;
    send(at, "outline", [...ids], {
      isScrolled: hovered !== null || ids.length === 1,
      isLabelled: ids.length === 1,
      scale: at.scale(),
    });
  }, [at, ids.join(), isPicking.value]);
  useEffect(
    () => () => {
      if (at) send(at, "outline", [], { isScrolled: false, isLabelled: false, scale: 1 });
    },
    [at],
  );
  return setHovered;
}

function Inspector(): JSX.Element {
  const model = useModel();
  const { link, view, chosen, testIdAttribute, isMissing } = inspectState(model);
  const trial = useTrial();
  const tried = trial.result.data;
  const setHovered = useOutlines(tried?.matches.map(({ id }) => id) ?? []);
  const [silentFrames, setSilentFrames] = useState(0);
  const [problem, setProblem] = useState<unknown>(null);
  const at = link.value;
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The pick had the focus, or the page, within which no key of the viewer is heard.
    const isLost =
      document.activeElement === document.body || document.activeElement instanceof HTMLIFrameElement;
    if (chosen.value && isLost) panel.current?.focus({ preventScroll: true });
  }, [chosen.value]);
  useEffect(() => {
    if (!at) return;
    at.call("start").then(
      (facts) => setSilentFrames(facts.silentFrames),
      (error: unknown) => setProblem(error),
    );
  }, [at]);
  return (
    <div class="panel-column inspect" ref={panel} tabIndex={-1}>
      <TryField trial={trial} onHover={setHovered} />
      {problem instanceof Error && problem.name !== "AbortError" && (
        <p class="notice is-failed" role="alert">
          {problem.message}
        </p>
      )}
      <div class="subtabs">
        <fieldset class="switch" aria-label="Shown of the page's elements">
          {VIEWS.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              class="toggle"
              aria-pressed={view.value === id}
              onClick={() => {
                view.value = id;
              }}
            >
              {title}
            </button>
          ))}
        </fieldset>
        <span class="bar-space" />
        <label class="test-id">
          <span class="dim">Test id</span>
          <input
            type="text"
            class="input mono"
            value={testIdAttribute.value}
            maxLength={60}
            spellcheck={false}
            aria-label="Attribute that holds test ids"
            onChange={(event) => {
              const name = event.currentTarget.value.trim();
              if (/^[A-Za-z_][\w.:-]*$/.test(name)) testIdAttribute.value = name;
              else event.currentTarget.value = testIdAttribute.peek();
            }}
          />
        </label>
      </div>
      {silentFrames > 0 && (
        <p class="notice dim">
          {silentFrames === 1
            ? "A frame of this page was not recorded: nothing can be found in it."
            : `${silentFrames.toLocaleString("en")} frames of this page were not recorded: nothing can be found in them.`}
        </p>
      )}
      {isMissing.value ? (
        <Message icon={<Picture />} title="No page was recorded at this step." />
      ) : !at ? (
        <Loading label="The page" />
      ) : view.value === "tree" ? (
        <TreeView key={at.url} onHover={setHovered} />
      ) : (
        <ElementView only={tried?.total === 1 ? (tried.matches[0]?.id ?? null) : null} onHover={setHovered} />
      )}
    </div>
  );
}

/** Elements of the recorded page: tried locators, the chosen element, the accessibility tree. */
export function InspectPanel(): JSX.Element {
  const model = useModel();
  const { isWanted } = inspectState(model);
  const isThere = canInspect(model);
  useEffect(() => {
    isWanted.value = true;
    // Beside the panel the page can be seen; where there is one pane only, the reader goes to it.
    if (isThere && !isNarrow.peek()) showPage(model);
  }, [isThere]);
  if (!isThere)
    return (
      <Message icon={<Picture />} title="The page cannot be inspected here.">
        <p class="dim">
          {model.source.file
            ? "Elements can be inspected where the trace is served, not in an exported file."
            : "Recorded pages come with Playwright traces that were made with snapshots."}
        </p>
      </Message>
    );
  return (
    <div class="panel-column">
      {/* Where there is room for the panel alone, the page is laid out where nobody sees it. */}
      {isNarrow.value && (
        <div class="offstage" inert>
          <RecordedPage />
        </div>
      )}
      <Inspector />
    </div>
  );
}
