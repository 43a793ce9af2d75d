import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { CopyButton } from "../../ui/parts.tsx";
import { Problem } from "../checks/form.tsx";
import { startApi } from "./api.ts";
import type { StepProps } from "./step.tsx";

const SNIPPET = `if (window.__PRODUCT_SYNTHETIC__ === true) {
  // Do not load analytics, or opt out.
}`;

/** That the product's figures leave these visits out, which only a person can say. */
export function AnalyticsStep({ isDone, onChanged }: StepProps): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function acknowledge(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await startApi.acknowledgeAnalytics();
      onChanged();
    } catch (error) {
      setProblem(errorText(error));
    }
    setBusy(false);
  }
  return (
    <>
      <p class="dim">
        288 visits a day would count as customers. Each of them sends the header{" "}
        <code>X-Synthetic-Source: product-monitor</code>, and each page has a flag before its own code runs:
      </p>
      <div class="command is-block">
        <code>{SNIPPET}</code>
        <CopyButton text={SNIPPET} what="The snippet" />
      </div>
      <p class="dim">Middleware, analytics and the nightly clean-up of databases, ready to be changed:</p>
      <p>
        <code class="command">tracedeck synthetic init --db postgres</code>
      </p>
      {isDone ? (
        <p>Somebody has said that they are left out: the audit log says who.</p>
      ) : (
        <div class="start-acts">
          <button
            type="button"
            class="button is-primary"
            disabled={isBusy}
            onClick={() => void acknowledge()}
          >
            They are left out
          </button>
          <span class="dim">or this page has no analytics. It is kept in the audit log.</span>
        </div>
      )}
      <Problem text={problem} />
    </>
  );
}
