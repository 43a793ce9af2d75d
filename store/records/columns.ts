import type { ColumnType } from "kysely";

/** A column that a row may be inserted without. */
export type Defaulted<T> = ColumnType<T, T | undefined, T>;
