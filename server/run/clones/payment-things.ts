import type { Clock } from "../../platform/clock.ts";
import { isRecord } from "./http.ts";
import type { Entries } from "./state.ts";
import type { Json } from "./types.ts";

/** A token, a method, an intent or a refund, or what a request says of one. */
export type Values = Record<string, Json>;

/** An answer other than the thing that was asked for. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: { type: string; message: string; code?: string; param?: string; decline_code?: string },
  ) {
    super(body.message);
  }
}

export const invalid = (message: string, param?: string, code?: string) =>
  new Refusal(400, {
    type: "invalid_request_error",
    message,
    ...(code && { code }),
    ...(param && { param }),
  });

/** What a payment provider keeps, in folders. Ids count from 1. */
export interface Things {
  /** @throws Refusal 429 where there is no room for one more */
  make(folder: string, prefix: string, values: Values): Values;
  /** @throws Refusal 404 */
  find(folder: string, id: string): Values;
  change(folder: string, thing: Values, changes: Values): Values;
  /** Latest first. */
  list(folder: string): Json[];
  /** Counts anew from what there is. */
  recount(): void;
}

export function createThings(entries: Entries, clock: Clock): Things {
  const counts: Record<string, number> = {};
  return {
    make(folder: string, prefix: string, values: Values): Values {
      const count = (counts[folder] ?? entries.under(`${folder}/`).length) + 1;
      counts[folder] = count;
      const thing: Values = {
        id: `${prefix}_clone_${count}`,
        ...values,
        created: Math.floor(clock.now() / 1000),
      };
      if (!entries.set(`${folder}/${thing.id}`, thing))
        throw new Refusal(429, { type: "api_error", message: "There is no room for more in this run." });
      return thing;
    },
    find(folder: string, id: string): Values {
      const known = entries.get(`${folder}/${id}`);
      if (!isRecord(known))
        throw new Refusal(404, {
          type: "invalid_request_error",
          code: "resource_missing",
          message: `There is no ${id} among the ${folder}.`,
        });
      return known;
    },
    change(folder: string, thing: Values, changes: Values): Values {
      const next = { ...thing, ...changes };
      entries.set(`${folder}/${String(thing.id)}`, next);
      return next;
    },
    list: (folder) => entries.under(`${folder}/`).reverse(),
    recount() {
      for (const folder of Object.keys(counts)) delete counts[folder];
    },
  };
}
