/** Says which layout a browser had last: `right`, `bottom` or `narrow`. */
export const LAYOUT_COOKIE = "tracedeck_layout";

/** Phones and slim windows: one pane at a time. */
export const NARROW = "(max-width: 760px)";
/** Room for a third column beside the page. */
export const WIDE = "(min-width: 1180px)";
/** Room for the chat beside the panels beside the page. */
export const ROOMY = "(min-width: 1700px)";
