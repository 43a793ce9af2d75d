/** Texts of a generation, and the longest that is remembered: two generations are some megabytes. */
const MOST_TEXTS = 8_000;
const LONGEST = 500;

/** Remembers what is made of the texts that were asked for last: a thousand addresses are looked at by a hundred parts of the engine. */
export function recently<Value>(make: (text: string) => Value): (text: string) => Value {
  let young = new Map<string, { value: Value }>();
  let old = young;
  return (text) => {
    if (text.length > LONGEST) return make(text);
    const known = young.get(text);
    if (known) return known.value;
    const one = old.get(text) ?? { value: make(text) };
    if (young.size >= MOST_TEXTS) {
      old = young;
      young = new Map();
    }
    young.set(text, one);
    return one.value;
  };
}

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
