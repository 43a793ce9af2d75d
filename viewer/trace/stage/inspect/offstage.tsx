import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PageSnapshot } from "../../../api.ts";
import { useModel } from "../../model/model.ts";
import { attach, detach, sandboxOf } from "./state.ts";

/** The page laid out where nobody sees it, for screens that have room for the panel alone. */
export function Offstage({ snapshot }: { snapshot: PageSnapshot }): JSX.Element {
  const model = useModel();
  const { viewport } = snapshot;
  const url = snapshot.inspect_url ?? "";
  useEffect(() => () => detach(model), []);
  return (
    <div class="offstage" aria-hidden="true">
      <iframe
        key={url}
        title="The inspected page"
        tabIndex={-1}
        sandbox={sandboxOf(url)}
        src={url}
        width={viewport?.width ?? 1280}
        height={viewport?.height ?? 720}
        onLoad={(event) => attach(model, event.currentTarget)}
      />
    </div>
  );
}
