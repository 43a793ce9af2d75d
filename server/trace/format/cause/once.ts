/** Remembers what is made of a thing of an owner, for as long as the owner is known: a run asks for one thing a thousand times. */
export function oncePer<Owner extends object, Key, Value>(
  make: (owner: Owner, key: Key) => Value,
): (owner: Owner, key: Key) => Value {
  const made = new WeakMap<Owner, Map<Key, { value: Value }>>();
  return (owner, key) => {
    const own = made.get(owner) ?? new Map<Key, { value: Value }>();
    made.set(owner, own);
    const known = own.get(key) ?? { value: make(owner, key) };
    own.set(key, known);
    return known.value;
  };
}
