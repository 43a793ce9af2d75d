import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { navigate } from "../../router.ts";
import { Clock } from "../../ui/icons.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { checksApi } from "./api.ts";
import { CheckDialog } from "./form.tsx";

/** On a scenario's page: leads to its checks, or makes the first one. */
export function WatchButton({ slug }: { slug: string }): JSX.Element {
  const isAsking = useSignal(false);
  const { data } = useLoad(slug, (signal) => checksApi.list({ scenario: slug, limit: 2 }, signal));
  const only = data?.items.length === 1 ? data.items[0] : undefined;
  if (data && data.items.length > 0)
    return (
      <a class="button" href={only ? `/checks/${only.id}` : `/checks?scenario=${slug}`}>
        <Clock /> {only && !only.enabled ? "Check (off)" : only ? "Check" : "Checks"}
      </a>
    );
  return (
    <>
      <button
        type="button"
        class="button"
        title="Run it by the clock"
        disabled={!data}
        onClick={() => (isAsking.value = true)}
      >
        <Clock /> Watch
      </button>
      {isAsking.value && (
        <CheckDialog
          slug={slug}
          onSaved={({ id }) => navigate(`/checks/${id}`)}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </>
  );
}
