import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";

/** An element by its tag and what tells it from others: `<main id="root">`. */
export function tagOf({ tag, attributes }: SeenElement): string {
  const said = ["id", "class", "role"].flatMap((name) =>
    attributes[name] ? [` ${name}="${oneLine(attributes[name]).slice(0, 60)}"`] : [],
  );
  return `<${tag}${said.join("")}>`;
}
