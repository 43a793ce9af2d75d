import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { Upload } from "../../ui/icons.tsx";
import { notify } from "../../ui/toast.tsx";
import { droppedFiles } from "./dropped.ts";

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** The whole window takes files. */
export function DropTarget(props: {
  onFiles: (files: readonly File[]) => void;
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
    const take = async (data: DataTransfer): Promise<void> => {
      try {
        const files = await droppedFiles(data);
        if (files.length > 0) props.onFiles(files);
        else notify("There is no trace and no report in what was dropped.", { isError: true });
      } catch (error) {
        notify(`What was dropped could not be read: ${errorText(error)}`, { isError: true });
      }
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth.current = 0;
      isOver.value = false;
      if (event.dataTransfer) void take(event.dataTransfer);
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
            <Upload /> Drop to store the trace, or the report of a test run
          </div>
        </div>
      )}
    </div>
  );
}
