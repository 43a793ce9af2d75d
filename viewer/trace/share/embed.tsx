import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { copyText } from "../../ui/toast.tsx";

const SIZES = [
  { id: "wide", label: "Full width, 700 high", width: "100%", height: "700" },
  { id: "large", label: "1280 × 800", width: "1280", height: "800" },
  { id: "small", label: "800 × 600", width: "800", height: "600" },
] as const;

const attribute = (text: string): string =>
  text.replace(
    /[&"<>]/g,
    (sign) => ({ "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign,
  );

/** Markup that shows the shared page in another one. */
function embedCode(link: string, title: string, size: (typeof SIZES)[number]): string {
  const url = new URL(link);
  url.pathname += "/embed";
  return `<iframe src="${attribute(url.href)}" title="${attribute(title)}" width="${size.width}" height="${size.height}" style="border: 0" loading="lazy"></iframe>`;
}

/** Markup for another page, wiki or ticket, in a size of choice. */
export function Embed({ link, title }: { link: string; title: string }): JSX.Element {
  const chosen = useSignal<string>(SIZES[0].id);
  const code = embedCode(link, title, SIZES.find(({ id }) => id === chosen.value) ?? SIZES[0]);
  return (
    <details class="share-more">
      <summary>Embed it in another page</summary>
      <div class="share-embed">
        <label class="field">
          <span>Size</span>
          <select
            class="select"
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {SIZES.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <div class="command is-block">
          <code>{code}</code>
          <button type="button" class="button" onClick={() => void copyText(code, "Embed code")}>
            Copy
          </button>
        </div>
      </div>
    </details>
  );
}
