/** How findings are known by their words: where several kinds of a thing share one kind of finding. */

/** An error that says no more than that something is not there which a script would have brought. */
export const LACKS = /is not defined|is not a function|is not a constructor|of undefined|of null/;

/** What findings are about that tell what an action or a page did, and are no symptom of an answer. */
export const OF_DEED = /^(?:idle|lost|body|asked|drawn|kept|torn|acted|wiped|nameless|set back|anew|unread) /;

/** An error over a time that was none. */
export const INVALID_TIME = /invalid (?:time value|date)|date value is not finite/i;

/** Names of things that products ask for beside what they are for. */
export const BESIDE =
  /experiment|a-?b-?test|variant|hint|survey|recommend|promo|banner|avatar|font|feedback|chat|beacon/i;

/** Names of requests that wait by design. */
export const WAITS_BY_DESIGN =
  /(?<![a-z])(?:long-?poll|poll|stream|events?\b|subscribe|notif|notices|updates|hub|signalr|sse\b|live\b|watch|changes)/i;

/** Names of messages that tell what others do meanwhile: they come in one run and not in another. */
export const PRESENCE = /\b(?:cursor|pointer|presence|typing|online|viewers?|heartbeat|ping|pong)\b/i;

/** What a page is decked with: whether it came changes no behaviour. */
export const DECORATION =
  /^GET .*\.(?:svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|map|webmanifest|mp[34]|webm)(?:\?\S*)? (?:was answered|was still|failed)/i;

/** The same as browsers say that they blocked it. */
export const BLOCKED_DECORATION = /(?:Refused to load|Loading) the (?:image|font)\b/;

/** Requests by which products feel what a server can do. */
export const PROBE = /^(?:HEAD|OPTIONS) /;

/** A script that an engine could not read. */
export const UNPARSED =
  /^The page threw SyntaxError(?!.*JSON)|^The browser refused to use .* as its type is not that of a script/;

/** A frame that its page shuts in on purpose. */
export const SANDBOX = /frame is sandboxed/;

/** Requests by which a session is kept alive. */
export const RENEWS = /refresh|renew|token|session|heartbeat|keep-?alive|ping/i;

/** The operation that a request asked for: `POST /graphql (MoveCard) was …` */
export const OPERATION = /^[A-Z]+ \S+ \(([\w.:/-]{1,80})\) /;
