import type { Finding } from "./types.ts";

type Lost = Pick<Finding, "lostName" | "isSubmitter">;

/** What it means for a form that an element has another attribute: a field without its name is not sent, a button without its type sends the form (HTML, 4.10.6 and 4.10.21.4). */
export function lostBy(tag: string, name: string, now: string | undefined, before: string | undefined): Lost {
  if (name === "name" && before && FIELD.test(tag)) return { lostName: before };
  return name === "type" && tag === "button" && isSubmit(now) && !isSubmit(before)
    ? { isSubmitter: true }
    : {};
}

const FIELD = /^(?:input|select|textarea)$/;

const isSubmit = (type: string | undefined): boolean => !/^(?:button|reset)$/i.test(type ?? "");
