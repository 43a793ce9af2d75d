import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Upload } from "../../ui/icons.tsx";

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** The whole window takes files. */
export function DropTarget(props: {
  onFiles: (files: FileList) => void;
  children: ComponentChildren;
}): JSX.Element {
  const isOver = useSignal(false);
  const depth = useRef(0);
  // Before the page can be seen: a file that nobody takes is opened in its place.
  useLayoutEffect(() => {
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth.current += 1;
      isOver.value = true;
    };
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    };
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth.current = Math.max(0, depth.current - 1);
      if (depth.current === 0) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth.current = 0;
      isOver.value = false;
      if (event.dataTransfer) props.onFiles(event.dataTransfer.files);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [props.onFiles]);
  return (
    <div class="page">
      {props.children}
      {isOver.value && (
        <div class="drop-veil">
          <div class="drop-sign">
            <Upload /> Drop to store the trace
          </div>
        </div>
      )}
    </div>
  );
}
