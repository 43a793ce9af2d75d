import { list, number, type Raw, record, text } from "./shape.ts";

const MOST_COOKIES = 500;
const MOST_ORIGINS = 50;
const MOST_ITEMS = 500;
const LONGEST_VALUE = 16 * 1024;

/**
 * The `storage.state` event for the cookies and the local storage that a context began with. Recorders up to 1.60 wrote
 * them among the context's options; null when there are none.
 */
export function storageOf(options: Raw): Raw | null {
  const state = record(options.storageState);
  const cookies = list(state.cookies)
    .slice(0, MOST_COOKIES)
    .map(record)
    .flatMap((cookie) => {
      const name = text(cookie.name, 4096);
      if (!name) return [];
      const expires = number(cookie.expires);
      return [
        {
          name,
          value: text(cookie.value, LONGEST_VALUE) ?? "",
          domain: text(cookie.domain, 500) ?? "",
          path: text(cookie.path, 2000) ?? "/",
          ...(expires !== undefined && expires > 0 && { expires }),
          ...(cookie.httpOnly === true && { http_only: true }),
          ...(cookie.secure === true && { secure: true }),
          ...(text(cookie.sameSite, 20) && { same_site: text(cookie.sameSite, 20) }),
        },
      ];
    });
  const origins = list(state.origins)
    .slice(0, MOST_ORIGINS)
    .map(record)
    .flatMap((origin) => {
      const name = text(origin.origin, 2000);
      const items = list(origin.localStorage)
        .slice(0, MOST_ITEMS)
        .map(record)
        .flatMap((item) => {
          const key = text(item.name, 4096);
          return key ? [{ name: key, value: text(item.value, LONGEST_VALUE) ?? "" }] : [];
        });
      return name ? [{ origin: name, local_storage: items }] : [];
    });
  if (cookies.length + origins.length === 0) return null;
  return { kind: "storage.state", cookies, origins };
}
