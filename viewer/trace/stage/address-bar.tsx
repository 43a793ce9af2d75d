import type { ComponentChildren, JSX } from "preact";
import { oneLine } from "../../ui/text.ts";

/** The address that the shown page was at, as a browser has it above the page. */
export function AddressBar({
  address,
  children,
}: {
  address: string;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="address-bar">
      <span class="ellipsis captured mono" title={oneLine(address, 2000)}>
        <span class="hidden-text">The page's address: </span>
        {oneLine(address, 300)}
      </span>
      {children}
    </div>
  );
}
