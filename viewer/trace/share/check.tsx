import type { JSX } from "preact";
import type { Visibility } from "../../api/answers.ts";
import { plural } from "../../ui/format.ts";
import { CheckCircle, Warning } from "../../ui/icons.tsx";
import { Failed, Loading } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { shareApi } from "./api.ts";

/** What a link would show of credentials, before anyone has it. */
export function Check({ id, visibility }: { id: string; visibility: Visibility }): JSX.Element {
  const { data, error } = useLoad(`check ${id}`, (signal) => shareApi.check(id, signal));
  if (error) return <Failed error={error} />;
  if (!data) return <Loading label="Looking for credentials" />;
  const masked =
    data.redaction_count > 0
      ? `${plural(data.redaction_count, "value was", "values were")} masked at recording.`
      : "Nothing was masked at recording.";
  if (data.headers.length === 0) {
    return (
      <p class="share-check dim">
        <CheckCircle class={data.is_complete ? "is-passed" : ""} />
        <span>
          {data.is_complete
            ? "No request shows an authorization or cookie header. "
            : "Not all requests were looked at for authorization and cookie headers. "}
          {masked}
        </span>
      </p>
    );
  }
  const found = data.headers
    .map(({ name, count }) => `${oneLine(name, 40)} (${count}${data.is_complete ? "" : " or more"})`)
    .join(", ");
  return (
    <p class="share-check is-warning" role="alert">
      <Warning class="is-error" />
      <span>
        {visibility === "public-read" ? "Anyone with the link" : "Every member"} can read these headers with
        their values: {found}. {masked} End the sessions and change the keys that they belong to, if they
        still work.
      </span>
    </p>
  );
}
