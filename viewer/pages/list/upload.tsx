import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { api } from "../../api/calls.ts";
import { navigate, route } from "../../router.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { tellFailure } from "../../ui/failing.ts";
import { formatBytes } from "../../ui/format.ts";
import { Clock, Close, CrossCircle, StopCircle } from "../../ui/icons.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Status } from "../../ui/status.tsx";
import { Suggest } from "../../ui/suggest.tsx";
import { oneLine } from "../../ui/text.ts";
import { asked, clearFinished, SLUG, startUploads, type Upload, uploads } from "./uploads.ts";

const SLUG_RULE = "Small letters, digits and dashes, at most 64, beginning with a letter or digit.";

/** Asks which scenario each file belongs to. Files that are dropped meanwhile come after the others. */
export function UploadDialog(): JSX.Element {
  const scenarios = useSignal<string[]>([]);
  // Of all traces, whatever the list is narrowed to. Without them a slug is typed whole.
  useEffect(() => {
    api.facets({}).then((all) => {
      scenarios.value = all.scenarios.map(({ slug }) => slug);
    }, tellFailure);
  }, []);
  const files = asked.value;
  const firstField = useRef<HTMLInputElement>(null);
  // Before the next key: the dialog itself gives the focus to its way out.
  useLayoutEffect(() => {
    firstField.current?.focus();
    firstField.current?.select();
  }, []);
  const isValid = files.every(({ slug }) => SLUG.test(slug));
  const close = (): void => {
    asked.value = [];
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isValid) return;
    close();
    void startUploads(files, (href) => {
      if (files.length === 1 && asked.peek().length === 0 && route.value.page === "list") navigate(href);
    });
  };
  return (
    <Dialog
      title={files.length === 1 ? "Upload a trace" : `Upload ${files.length} traces`}
      onClose={close}
      width="520px"
    >
      <form onSubmit={submit} class="form">
        <p class="dim">Traces of the same scenario are listed and compared together.</p>
        <ul class="upload-files">
          {files.map(({ file, slug }, index) => (
            <li key={`${index} ${file.name}`}>
              <span class="upload-name ellipsis captured" title={oneLine(file.name)}>
                {oneLine(file.name)}
              </span>
              <span class="dim num">{formatBytes(file.size)}</span>
              <Suggest
                fieldRef={index === 0 ? firstField : undefined}
                label={`Scenario of ${oneLine(file.name)}`}
                value={slug}
                known={scenarios.value}
                isInvalid={!SLUG.test(slug)}
                maxLength={64}
                onChange={(value) => {
                  asked.value = files.map((one, at) => (at === index ? { file, slug: value } : one));
                }}
              />
            </li>
          ))}
        </ul>
        {!isValid && <p class="is-failed">{SLUG_RULE}</p>}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={!isValid}>
            Upload
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function UploadLine({ upload }: { upload: Upload }): JSX.Element {
  switch (upload.state) {
    case "waiting":
      return (
        <p class="dim">
          <Clock /> Waiting its turn
        </p>
      );
    case "sending": {
      const part = upload.size > 0 ? Math.min(1, upload.sent / upload.size) : 0;
      return (
        <>
          <Progress value={part} label={`Uploading ${oneLine(upload.name, 80)}`} />
          <p class="dim num">
            {formatBytes(Math.min(upload.sent, upload.size))} of {formatBytes(upload.size)},{" "}
            {formatBytes(upload.rate)}/s
          </p>
        </>
      );
    }
    case "processing":
      return (
        <>
          <Progress value={null} label="Reading the trace" />
          <p class="dim">Stored. Reading it…</p>
        </>
      );
    case "ready":
      return (
        <p>
          {upload.status && <Status status={upload.status} />}{" "}
          {upload.testRun ? (
            <a href={`/test-runs/${upload.testRun}`}>Open the test run</a>
          ) : (
            <a href={`/traces/${upload.traceId}`}>Open</a>
          )}
        </p>
      );
    case "failed":
      return (
        <p class="is-failed captured" role="alert">
          <CrossCircle /> {upload.problem}
        </p>
      );
    case "cancelled":
      return (
        <p class="dim">
          <StopCircle /> Cancelled, nothing was stored
        </p>
      );
  }
}

/** The uploads of this visit, in the corner. */
export function UploadTray(): JSX.Element | null {
  const all = uploads.value;
  if (all.length === 0) return null;
  const isBusy = all.some((upload) => ["waiting", "sending", "processing"].includes(upload.state));
  return (
    <section class="tray" aria-label="Uploads">
      <div class="dialog-head">
        <h2>Uploads</h2>
        {all.some((upload) => ["ready", "failed", "cancelled"].includes(upload.state)) && (
          <button
            type="button"
            class="icon-button"
            aria-label="Clear finished uploads"
            onClick={clearFinished}
          >
            <Close />
          </button>
        )}
      </div>
      <ul class="tray-list" aria-live={isBusy ? "off" : "polite"}>
        {all.map((upload) => (
          <li key={upload.id}>
            <div class="tray-name">
              <span class="ellipsis captured">{oneLine(upload.name)}</span>
              {upload.cancel && (
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Cancel ${oneLine(upload.name, 80)}`}
                  onClick={upload.cancel}
                >
                  <Close />
                </button>
              )}
            </div>
            <UploadLine upload={upload} />
          </li>
        ))}
      </ul>
    </section>
  );
}
