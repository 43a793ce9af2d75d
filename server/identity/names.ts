import { Type } from "@sinclair/typebox";
import type { Role } from "../../store/records/schema.ts";
import { PLANS } from "../config.ts";
import { ROLES } from "./scopes.ts";

type Plan = keyof typeof PLANS;

const oneOf = <Name extends string>(table: Record<Name, unknown>) =>
  Type.Unsafe<Name>(Type.Union(Object.keys(table).map((name) => Type.Literal(name))));

/** One of the roles, as OpenAPI lists them. */
export const RoleName = oneOf<Role>(ROLES);
/** One of the plans. */
export const PlanName = oneOf<Plan>(PLANS);
