import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { plural } from "../../../ui/format.ts";
import { CheckCircle, Close, CrossCircle, Warning } from "../../../ui/icons.tsx";
import { CopyButton } from "../../../ui/parts.tsx";
import { oneLine } from "../../../ui/text.ts";
import { type Loaded, useLoad } from "../../../ui/use-load.ts";
import { useModel } from "../../model/model.ts";
import { useStepEvent } from "../../model/use-event.ts";
import { attemptedLocator } from "./attempted.ts";
import { isHeavy } from "./locator/model.ts";
import { type Parsed, parseLocator } from "./locator/parse.ts";
import type { ElementId, Tried } from "./protocol.ts";
import { choose, inspectState } from "./state.ts";

export interface Trial {
  text: string;
  /** Whether the text is the step's own locator. */
  isOfStep: boolean;
  parsed: Parsed | null;
  /** A pattern or the like of the recording's, which runs only when the reader wants it to. */
  isHeld: boolean;
  result: Loaded<Tried>;
}

let lastNumber = 0;
const numbers = new WeakMap<object, number>();
/** Tells one line to a page from the next, for keys of what is loaded over it. */
export function numberOf(link: object): number {
  const known = numbers.get(link);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(link, lastNumber);
  return lastNumber;
}

/** What is being tried on the page: what was typed, else what the step looked for. */
export function useTrial(): Trial {
  const model = useModel();
  const { link, typed, testIdAttribute } = inspectState(model);
  const event = useStepEvent(model, model.step.value).data;
  const attempted = useMemo(() => attemptedLocator(event), [event]);
  const text = typed.value ?? attempted ?? "";
  const isOfStep = typed.value === null && attempted !== null;
  const parsed = useMemo(() => (text.trim() === "" ? null : parseLocator(text)), [text]);
  const isHeld = isOfStep && parsed?.isOk === true && isHeavy(parsed.locator);
  const at = link.value;
  const canRun = at !== null && parsed?.isOk === true && !isHeld;
  const result = useLoad(canRun ? `${numberOf(at)} ${testIdAttribute.value} ${text}` : null, () =>
    at
      ? at.call("try", text, testIdAttribute.value)
      : Promise.reject(new DOMException("No page is shown.", "AbortError")),
  );
  return { text, isOfStep, parsed, isHeld, result };
}

function Count({ trial }: { trial: Trial }): JSX.Element | null {
  const { result, parsed } = trial;
  if (parsed === null || !parsed.isOk || result.error) return null;
  if (!result.data) return <span class="dim">{result.isLoading ? "…" : ""}</span>;
  const { total } = result.data;
  const words = plural(total, "match", "matches");
  if (total === 1)
    return (
      <span class="try-count">
        <CheckCircle class="is-passed" /> {words}
      </span>
    );
  return (
    <span class={total === 0 ? "try-count is-failed" : "try-count"}>
      {total === 0 ? <CrossCircle class="is-failed" /> : <Warning class="is-warning" />} {words}
    </span>
  );
}

/** Where the text went wrong: the text up to there, and a caret below. */
function Problem({ text, message, at }: { text: string; message: string; at: number }): JSX.Element {
  const from = Math.max(0, at - 24);
  const shown = text.slice(from, at + 24).replace(/\s/g, " ");
  return (
    <div class="try-problem" id="try-problem" role="alert">
      <p>
        <CrossCircle class="is-failed" /> {oneLine(message, 400)}{" "}
        <span class="dim">(character {at + 1})</span>
      </p>
      <pre class="captured" aria-hidden="true">
        {from > 0 ? "…" : ""}
        {shown}
        {"\n"}
        {" ".repeat(at - from + (from > 0 ? 1 : 0))}^
      </pre>
    </div>
  );
}

function Steps({ steps }: { steps: Tried["steps"] }): JSX.Element | null {
  if (steps.length < 2) return null;
  return (
    <ol class="try-steps" aria-label="What each call left">
      {steps.map(({ code, count }, index) => (
        <li key={index} class={count === 0 ? "is-failed" : undefined}>
          <code class="captured">{oneLine(code, 200)}</code>{" "}
          <span class="num">{count.toLocaleString("en")}</span>
        </li>
      ))}
    </ol>
  );
}

interface ResultProps {
  trial: Trial;
  onHover: (ids: ElementId[] | null) => void;
}

function Nearest({ trial, onHover }: ResultProps): JSX.Element | null {
  const model = useModel();
  const { typed } = inspectState(model);
  const tried = trial.result.data;
  if (!tried || tried.total > 0) return null;
  if (tried.near.length === 0) return <p class="dim try-note">Nothing on this page comes close to it.</p>;
  return (
    <section class="try-near" aria-label="What comes closest">
      <h2>Closest on this page</h2>
      <ul>
        {tried.near.map((near) => (
          <li
            key={`${near.id} ${near.code}`}
            class="pick-line"
            onMouseEnter={() => onHover([near.id])}
            onMouseLeave={() => onHover(null)}
          >
            <button
              type="button"
              class="line-button"
              title="Try it"
              onFocus={() => onHover([near.id])}
              onBlur={() => onHover(null)}
              onClick={() => {
                typed.value = near.code;
              }}
            >
              <code class="ellipsis captured">{oneLine(near.code, 300)}</code>
              <span class="dim captured">
                {oneLine(near.role ?? near.tag, 40)}
                {near.name ? ` “${oneLine(near.name, 60)}”` : ""}
              </span>
            </button>
            <CopyButton text={near.code} what="Locator" />
          </li>
        ))}
      </ul>
    </section>
  );
}

const MOST_LISTED = 50;

function Matches({ trial, onHover }: ResultProps): JSX.Element | null {
  const model = useModel();
  const tried = trial.result.data;
  if (!tried || tried.total === 0) return null;
  const shown = tried.matches.slice(0, MOST_LISTED);
  return (
    <ul class="try-matches" aria-label="Matches">
      {shown.map((match) => (
        <li key={match.id} onMouseEnter={() => onHover([match.id])} onMouseLeave={() => onHover(null)}>
          <button
            type="button"
            class="line-button"
            title="Inspect this element"
            onFocus={() => onHover([match.id])}
            onBlur={() => onHover(null)}
            onClick={() => choose(model, match.id)}
          >
            <code class="captured">{oneLine(match.tag, 60)}</code>
            <span class="ellipsis dim captured">
              {match.role ? oneLine(match.role, 40) : ""} {match.name ? `“${oneLine(match.name, 120)}”` : ""}
            </span>
          </button>
        </li>
      ))}
      {tried.total > shown.length && (
        <li class="dim try-note">{(tried.total - shown.length).toLocaleString("en")} more are not listed.</li>
      )}
    </ul>
  );
}

/** A locator typed, or the step's own, and what it finds on the page. */
export function TryField({ trial, onHover }: ResultProps): JSX.Element {
  const model = useModel();
  const { typed } = inspectState(model);
  const { text, parsed, result, isOfStep, isHeld } = trial;
  const isWrong = parsed !== null && !parsed.isOk;
  return (
    <div class="try">
      <div class="try-line">
        <input
          type="text"
          class="input mono"
          aria-label="Locator, CSS selector or XPath to try on the page"
          aria-invalid={isWrong}
          aria-describedby={isWrong ? "try-problem" : undefined}
          placeholder="getByRole('button', { name: 'Pay' }), CSS or XPath"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          maxLength={2000}
          value={text}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        {!isOfStep && text !== "" && (
          <button
            type="button"
            class="icon-button"
            aria-label="Back to the step's own locator"
            title="Back to the step's own locator"
            onClick={() => {
              typed.value = null;
            }}
          >
            <Close />
          </button>
        )}
        <span role="status">
          <Count trial={trial} />
        </span>
      </div>
      {isOfStep && (
        <p class="dim try-note">
          What this step looked for.
          {isHeld && (
            <>
              {" "}
              <button
                type="button"
                class="link-button"
                onClick={() => {
                  typed.value = text;
                }}
              >
                Try it
              </button>
            </>
          )}
        </p>
      )}
      {parsed && !parsed.isOk && <Problem text={text} message={parsed.message} at={parsed.at} />}
      {result.error instanceof Error && (
        <p class="try-problem" role="alert">
          <CrossCircle class="is-failed" /> {oneLine(result.error.message, 400)}
        </p>
      )}
      {result.data && <Steps steps={result.data.steps} />}
      <Nearest trial={trial} onHover={onHover} />
      {result.data && result.data.total > 1 && <Matches trial={trial} onHover={onHover} />}
    </div>
  );
}
