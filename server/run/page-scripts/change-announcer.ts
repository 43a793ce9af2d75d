/// <reference lib="dom" />
/**
 * Runs in the page's own world, where alone it can be seen that a script sets a value, a rule of a style sheet or a late shadow tree.
 * It announces the element by an event, and nothing else: the recorder reads for itself what is there (`quiet-changes.ts`).
 * `__tracedeck_binding__` is replaced as in `page-recorder.ts`.
 */
const NAME = "__tracedeck_binding___changed";
const { apply } = Reflect;
const { dispatchEvent } = EventTarget.prototype;
const Announcement = Event;

function announce(node: Node | null | undefined): void {
  // Composed, so that it leaves shadow trees too.
  apply(dispatchEvent, node ?? document, [new Announcement(NAME, { composed: true })]);
}

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** @param nodeOf the node to announce; @param isBefore whether it is announced before the change, or after it */
function watchCalls(
  of: object,
  names: string[],
  nodeOf: (self: never) => Node | null,
  isBefore: boolean,
): void {
  for (const name of names) {
    const original = (of as Methods)[name];
    if (!original) continue;
    (of as Methods)[name] = {
      [name](this: unknown, ...given: unknown[]) {
        if (isBefore) announce(nodeOf(this as never));
        const result = apply(original, this, given);
        if (!isBefore) announce(nodeOf(this as never));
        return result;
      },
    }[name] as (...given: unknown[]) => unknown;
  }
}

function watchSetter(of: object, name: string, nodeOf: (self: never) => Node | null): void {
  const known = Object.getOwnPropertyDescriptor(of, name);
  const set = known?.set;
  if (!set) return;
  Object.defineProperty(of, name, {
    ...known,
    set(value: unknown) {
      apply(set, this, [value]);
      announce(nodeOf(this as never));
    },
  });
}

const itself = (node: Node) => node;
const ownerOf = (sheet: CSSStyleSheet | null): Node | null => (sheet?.ownerNode as Node | null) ?? null;
const ownerOfRule = ({ parentStyleSheet }: CSSRule) => ownerOf(parentStyleSheet);

watchSetter(HTMLInputElement.prototype, "value", itself);
watchSetter(HTMLInputElement.prototype, "checked", itself);
watchSetter(HTMLTextAreaElement.prototype, "value", itself);
watchSetter(HTMLSelectElement.prototype, "value", itself);
watchSetter(HTMLSelectElement.prototype, "selectedIndex", itself);
watchSetter(HTMLOptionElement.prototype, "selected", (option: HTMLOptionElement) => option.closest("select"));
watchSetter(Document.prototype, "adoptedStyleSheets", itself);
watchSetter(ShadowRoot.prototype, "adoptedStyleSheets", itself);
watchCalls(CSSStyleSheet.prototype, ["insertRule", "deleteRule", "addRule", "removeRule"], ownerOf, true);
watchCalls(CSSStyleSheet.prototype, ["replaceSync"], ownerOf, false);
watchCalls(CSSGroupingRule.prototype, ["insertRule", "deleteRule"], ownerOfRule, true);
watchCalls(Element.prototype, ["attachShadow"], itself, false);
