/** How findings are known by their words: where several kinds of a thing share one kind of finding. */

/** An error that says no more than that something is not there which a script would have brought. */
export const LACKS = /is not defined|is not a function|is not a constructor|of undefined|of null/;

/** An answer without a value that it has in passes. */
export const ANSWERED_NOTHING = / answered (?:“null”|nothing|with a field|with no items)/;

/** A connection that ended beside what the page did. */
export const CLOSED = / closed while the page went on/;

/** A test that typed, picked or answered something else than in passes. */
export const GAVE_OTHERWISE = /^The test (?:gave|dismissed|accepted) /;

/** The answer to a question that was another one than in passes. */
export const ASKED_OTHERWISE = /^(?:POST|PUT|PATCH|DELETE) .*, which was sent with(?:out)? the field /;

export const SIGN_IN = /log-?in|sign-?in|auth|sso|session/i;

/** Names of things that products ask for beside what they are for. */
export const BESIDE =
  /experiment|a-?b-?test|variant|hint|survey|recommend|promo|banner|avatar|font|feedback|chat|beacon/i;

/** Names of requests that wait by design. */
export const WAITS_BY_DESIGN =
  /poll|stream|events?\b|subscribe|notif|notices|updates|hub|signalr|sse|live|watch|changes/i;
