import { isRecord } from "../../differences.ts";

/** The things of an answer's one list: the answer itself, or a list right in it; empty where it has none, or several. */
export function thingsIn(value: unknown): Record<string, unknown>[] {
  const lists = (Array.isArray(value) ? [value] : isRecord(value) ? Object.values(value) : []).filter(
    (list): list is Record<string, unknown>[] =>
      Array.isArray(list) && list.length > 0 && list.every(isRecord),
  );
  const [list] = lists;
  return list && lists.length === 1 ? list : [];
}
