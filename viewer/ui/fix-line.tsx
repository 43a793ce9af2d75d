import type { JSX } from "preact";
import type { AttemptAnswer } from "../../server/gate/mender/model.ts";
import { getJson, withQuery } from "../api/request.ts";
import type { Page } from "./pages.ts";
import { oneLine } from "./text.ts";
import { useLoad } from "./use-load.ts";

const LOOKED_AT = 20;
const WORDS: Partial<Record<AttemptAnswer["status"], string>> = {
  verified: "was verified",
  applied: "was applied",
  proposed: "was tried",
};

/** What of the product is wrong is mended in its source, if at all. */
const mended = ({ classification, status }: AttemptAnswer): string =>
  classification === "app_regression" && status !== "proposed" ? "application" : "scenario";

/** What the mender made of a failure, where it made something of it. */
export function FixLine({
  scenario,
  signature,
}: {
  scenario: string;
  signature: string | null;
}): JSX.Element | null {
  const { data } = useLoad(signature === null ? null : `${scenario} ${signature}`, (signal) =>
    // Who may not read fixes sees none.
    getJson<Page<AttemptAnswer>>(withQuery("/v1/mender", { scenario, limit: LOOKED_AT }), signal).catch(
      () => null,
    ),
  );
  const fix = data?.items.find((one) => one.failure_signature === signature && one.stage === "ended");
  const said = fix && WORDS[fix.status];
  if (!said) return null;
  return (
    <p class="mender-link">
      <a href={`/mender/${fix.id}`}>
        A fix of the {mended(fix)} {said}
      </a>
      <span class="dim captured ellipsis">{oneLine(fix.summary, 200)}</span>
    </p>
  );
}
