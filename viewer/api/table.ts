/** Objects in JSON with every name of a field written once: of each kind of object its fields, then rows of values. */
export interface Table {
  kinds: string[][];
  /** The index of the kind, then the values in the order of its fields. */
  rows: unknown[][];
}

/** Nothing is lost, neither a field that some of the objects lack nor the order of fields. */
export function toTable(objects: readonly object[]): Table {
  const kinds = new Map<string, { index: number; fields: string[] }>();
  const rows = objects.map((object) => {
    const entries = Object.entries(object).filter(([, value]) => value !== undefined);
    const fields = entries.map(([field]) => field);
    const name = JSON.stringify(fields);
    const kind = kinds.get(name) ?? { index: kinds.size, fields };
    kinds.set(name, kind);
    return [kind.index, ...entries.map(([, value]) => value)];
  });
  return { kinds: [...kinds.values()].map(({ fields }) => fields), rows };
}

/** The objects that `toTable` was given. */
export function fromTable<Row extends object>({ kinds, rows }: Table): Row[] {
  return rows.map(([kind, ...values]) => {
    const fields = kinds[kind as number] ?? [];
    return Object.fromEntries(fields.map((field, at) => [field, values[at]])) as Row;
  });
}
