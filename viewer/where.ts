/** Whether this runs in the server, which renders first screens, and not in a browser. */
export const isServer = typeof document === "undefined";

/** Whether the page is a file of its own, with no server behind it. */
export const isFile = !isServer && document.documentElement.dataset.address === "fragment";

/** Scheme and host of the page; in the server those of the request that is being answered. */
export const page = { origin: isServer ? "" : location.origin };
